import StoreCore
package import StoreTexts

/// A client as the places for watched pointers are counted: a principal, or else an address.
package enum WatchingClient: Hashable, Sendable {
    case principal(ExactText)
    /// The text of an address, of IPv6 of its first 64 bits. Where it is for many, clients of other
    /// addresses may be behind it: a proxy, or this machine itself.
    case address(String, isForMany: Bool)

    /// True if it may be many clients.
    fileprivate var isForMany: Bool {
        if case .address(_, let isForMany) = self { isForMany } else { false }
    }
}

/// Why a further pointer can't be watched.
package enum WatchRefusal: Error, Equatable {
    /// The client watches as many as one client may.
    case client(max: Int)
    /// The session has as many of its own watched as one session may.
    case session(max: Int)
    /// All places are taken, or the others are for clients that watch fewer.
    case all(max: Int)
    /// The parts that are watched have as many bytes as they may: those of the client, or of all.
    case bytes(max: Int)
}

/// The places for watched pointers: which clients hold them, and how often.
///
/// Bounded by the streams that are open, of which each holds one pointer for one client.
struct WatchPlaces {
    /// The pointers of each client, with how many streams each of them has.
    private var held: [WatchingClient: [WatchedPart: Int]] = [:]
    /// How many clients hold each pointer.
    private var holders: [WatchedPart: Int] = [:]
    /// How many pointers into its own slices each session has; under `nil`, those into shared ones.
    private var ofSessions: [ExactText?: Int] = [:]

    /// The pointers that a client watches.
    func parts(of client: WatchingClient) -> some Collection<WatchedPart> {
        (held[client] ?? [:]).keys
    }

    /// Why a client may not watch a pointer, as far as the number of pointers goes; `nil` if it
    /// may.
    func refusal(of part: WatchedPart, for client: WatchingClient) -> WatchRefusal? {
        let own = held[client] ?? [:]
        guard own[part] == nil else { return nil }
        guard own.count < PartStreams.clientPointersMax || client.isForMany else {
            return .client(max: PartStreams.clientPointersMax)
        }
        guard holders[part] == nil else { return nil }
        let session = Self.session(of: part)
        let taken = ofSessions[session] ?? 0
        guard session == nil else {
            let max = PartStreams.sessionPointersMax
            return taken < max ? nil : .session(max: max)
        }
        let kept = own.count < PartStreams.keptPerClient ? 0 : PartStreams.keptPointers
        return taken < PartStreams.pointersMax - kept ? nil : .all(max: PartStreams.pointersMax)
    }

    mutating func take(_ part: WatchedPart, for client: WatchingClient) {
        let count = (held[client]?[part] ?? 0) + 1
        held[client, default: [:]][part] = count
        guard count == 1 else { return }
        holders[part, default: 0] += 1
        if holders[part] == 1 { ofSessions[Self.session(of: part), default: 0] += 1 }
    }

    /// Gives a place back. Returns whether no client watches the pointer any more.
    mutating func giveBack(_ part: WatchedPart, of client: WatchingClient) -> Bool {
        guard let count = held[client]?[part] else { return false }
        held[client]?[part] = count > 1 ? count - 1 : nil
        guard count == 1 else { return false }
        if held[client]?.isEmpty == true { held[client] = nil }
        let others = (holders[part] ?? 1) - 1
        holders[part] = others > 0 ? others : nil
        guard others == 0 else { return false }
        let session = Self.session(of: part)
        let left = (ofSessions[session] ?? 1) - 1
        ofSessions[session] = left > 0 ? left : nil
        return true
    }

    /// The session whose bound a pointer counts for. The session that all without one of their own
    /// have is watched by many.
    private static func session(of part: WatchedPart) -> ExactText? {
        let session = part.container.session
        return session?.text == SessionName.shared ? nil : session
    }
}

/// A client's place for one watched pointer, until it is given back.
package final class WatchPlace: Sendable {
    private let parts: PartStreams
    private let part: WatchedPart
    private let client: WatchingClient

    init(_ part: WatchedPart, of client: WatchingClient, in parts: PartStreams) {
        self.parts = parts
        self.part = part
        self.client = client
    }

    deinit { parts.giveBack(part, of: client) }
}
