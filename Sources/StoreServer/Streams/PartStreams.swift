import EventStream
import HTTPTransport
import Locks
import StoreCore
import Synchronization
import Wire

/// Sends parts of the state to those who watch them, each only when it has changed: instances of
/// modules, and what JSON Pointers lead to.
///
/// A version costs one reading of each slice that has changed and has watched parts, however many
/// these are; a part of any other slice costs nothing. Of a module with instances only those that have
/// changed are looked at, and read only where a part of them is watched.
final class PartStreams: Sendable {
    /// The most pointers that are watched at a time.
    static let pointersMax = 1_000
    /// From how many parts on those that nobody reads any more make room.
    private static let partsMax = 1_000

    /// What was sent of a part last, and of which version it is; no version where that is to be seen.
    private struct Sent: Sendable {
        var bytes: Bytes?
        var version: UInt64?
    }

    private typealias Parts = [WatchedPart: Sent]

    private let modules: [String]?
    private let sender: PartSender
    private let watched = Locked<[WatchedPart.Ground: Parts]>([:])

    /// - Parameter modules: their names, where the state is made of modules.
    init(modules: [String]?, _ sender: PartSender) {
        self.modules = modules
        self.sender = sender
    }

    /// What a pointer leads to.
    func part(at pointer: JSONPointer) -> WatchedPart {
        WatchedPart(at: pointer, modules: modules)
    }

    /// Whether what a pointer leads to may be watched, too; what nobody reads any more makes room.
    func hasRoom(for part: WatchedPart) -> Bool {
        watched.withLock { watched in
            if watched[part.ground]?[part] != nil { return true }
            if Self.pointers(in: watched) >= Self.pointersMax { forgetUnread(&watched) }
            return Self.pointers(in: watched) < Self.pointersMax
        }
    }

    /// Gives a stream that is about to open what it begins with, and sees to what comes after.
    ///
    /// - Parameter newest: the newest version, asked for when the part is watched already: none can
    ///   be missed between.
    func announce(_ part: WatchedPart, in newest: () -> Snapshot) {
        var sent = watched.withLock { watched -> Sent in
            if let known = watched[part.ground]?[part] { return known }
            if watched.values.reduce(0, { $0 + $1.count }) >= Self.partsMax {
                forgetUnread(&watched)
            }
            watched[part.ground, default: [:]][part] = Sent()
            return Sent()
        }
        if sent.version == nil {
            let snapshot = newest()
            let found = Sent(
                bytes: part.ground.part(at: part.pointer, in: snapshot),
                version: part.ground.version(in: snapshot)
            )
            sent = watched.withLock { watched in
                // The Core may have been quicker, with this version or a newer one.
                if let known = watched[part.ground]?[part], known.version != nil { return known }
                watched[part.ground, default: [:]][part] = found
                return found
            }
        }
        if let version = sent.version { sender.send(sent.bytes, to: part.topic, since: version) }
    }

    /// A version is published. The Core's thread calls it.
    func publish(_ new: Snapshot, after old: Snapshot, for audience: Audience?) {
        let grounds = watched.withLock { $0.isEmpty ? [] : Array($0.keys) }
        for ground in grounds where ground.differs(new, from: old) {
            let parts = watched.withLock { watched in
                forgetUnread(of: ground, &watched)
                return watched[ground].map { Array($0.keys) } ?? []
            }
            guard !parts.isEmpty else { continue }
            let version = ground.version(in: new)
            let changed =
                if let pieces = ground.pieces(in: new) {
                    changed(parts, in: pieces, after: ground.pieces(in: old), version)
                } else {
                    changed(parts, in: ground.bytes(in: new), version)
                }
            for (part, bytes) in changed {
                sender.send(bytes, to: part.topic, since: version, for: audience)
            }
        }
    }

    /// Takes over what has changed of some parts of instances, and answers that.
    private func changed(
        _ parts: [WatchedPart],
        in pieces: InstancePieces,
        after old: InstancePieces?,
        _ version: UInt64
    ) -> [(WatchedPart, Bytes?)] {
        let due = parts.filter { part in
            old.map { pieces.differs(from: $0, at: part.pointer) } ?? true
        }
        let found = due.map { pieces.part(at: $0.pointer) }
        return watched.withLock { watched in
            zip(due, found).filter { part, bytes in
                guard let sent = watched[part.ground]?[part],
                    sent.version == nil || sent.bytes != bytes
                else { return false }
                watched[part.ground]?[part] = Sent(bytes: bytes, version: version)
                return true
            }
        }
    }

    /// Likewise, where one document has all parts.
    private func changed(
        _ parts: [WatchedPart],
        in ground: Bytes?,
        _ version: UInt64
    ) -> [(WatchedPart, Bytes?)] {
        let document = try? ground?.document()
        let found =
            document.map { JSONPointer.find(parts.map(\.pointer), from: $0.root) }
            ?? parts.map { _ in nil }
        return watched.withLock { watched in
            zip(parts, found).compactMap { part, node in
                guard let sent = watched[part.ground]?[part],
                    sent.version == nil || !Self.isSame(sent.bytes, node)
                else { return nil }
                let bytes = node.map { Bytes($0.source) }
                watched[part.ground]?[part] = Sent(bytes: bytes, version: version)
                return (part, bytes)
            }
        }
    }

    private func forgetUnread(_ watched: inout [WatchedPart.Ground: Parts]) {
        for ground in watched.keys { forgetUnread(of: ground, &watched) }
    }

    private func forgetUnread(
        of ground: WatchedPart.Ground,
        _ watched: inout [WatchedPart.Ground: Parts]
    ) {
        let read = watched[ground]?.filter { sender.isRead($0.key.topic) } ?? [:]
        watched[ground] = read.isEmpty ? nil : read
    }

    private static func pointers(in watched: [WatchedPart.Ground: Parts]) -> Int {
        watched.values.reduce(0) { count, parts in
            count + parts.keys.count { $0.isPointer }
        }
    }

    private static func isSame(_ bytes: Bytes?, _ node: JSONNode?) -> Bool {
        guard let bytes, let node else { return bytes == nil && node == nil }
        return bytes.withUnsafeBytes { $0.hasSameBytes(as: UnsafeRawBufferPointer(node.source)) }
    }
}
