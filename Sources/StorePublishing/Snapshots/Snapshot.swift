package import StoreCore
package import StoreEventStream
import StorePlatform
import StoreTexts
package import StoreWire
import Synchronization

/// One published version of the state: encoded once, shared by every reader.
package final class Snapshot: Sendable {
    package let tag: Tag
    /// The tag as an entity tag, quotes included.
    package let etag: String
    /// The slices of the modules that the state is made of, in their order. Empty where the state
    /// is not made of modules.
    package let slices: [PublishedSlice]

    /// How the slices make up the state; `nil` where it is not made of modules.
    let layout: SliceLayout?

    /// How many of its bytes the version before does not have.
    let ownBytes: Int

    /// Who sees something of the actions that led here from the version that was made before it.
    let audience: VersionAudience

    private let whole: Locked<Bytes?>
    private let event = Locked<(version: UInt64, frame: Bytes)?>(nil)
    /// As the viewer sees it that asked last.
    private let seen = Locked<(viewer: Viewer, version: Snapshot)?>(nil)

    package init(tag: Tag, state: Bytes) {
        self.tag = tag
        etag = tag.etag
        slices = []
        layout = nil
        ownBytes = state.count
        audience = .everybody
        whole = Locked(state)
    }

    /// A state that is put together from its slices when a reader asks for it.
    package convenience init(
        tag: Tag,
        slices: [PublishedSlice],
        layout: SliceLayout,
        ownBytes: Int = 0,
        audience: VersionAudience = .everybody
    ) {
        self.init(
            tag: tag,
            etag: tag.etag,
            slices: slices,
            layout: layout,
            ownBytes: ownBytes,
            audience: audience
        )
    }

    private init(
        tag: Tag,
        etag: String,
        slices: [PublishedSlice],
        layout: SliceLayout,
        ownBytes: Int,
        audience: VersionAudience
    ) {
        self.audience = audience
        self.tag = tag
        self.etag = etag
        self.slices = slices
        self.layout = layout
        self.ownBytes = ownBytes
        whole = Locked(nil)
    }

    package var version: UInt64 { tag.version }

    /// Whether sessions see different states.
    package var hasSessions: Bool { layout?.ofSessions.isEmpty == false }

    /// The names of the modules, in the order of the slices; none where the state is one piece.
    package var moduleNames: [String] { layout?.names ?? [] }

    /// Whether some of its slices are not there for whom it is shown to.
    package var isNarrowed: Bool { layout?.isNarrowed == true }

    /// The version as a viewer sees it: of a session its own slices in the place of all, and with a
    /// sight only the members that it sees; the version itself where that is all of it.
    package func visible(to viewer: Viewer) -> Snapshot {
        guard viewer.sight != nil || (viewer.session != nil && hasSessions) else { return self }
        // Clients that poll ask again and again, and most have the same session or none.
        let known = seen.withLock { seen in
            seen.flatMap { $0.viewer == viewer ? $0.version : nil }
        }
        if let known { return known }
        let version = made(for: viewer)
        seen.withLock { $0 = (viewer, version) }
        return version
    }

    private func made(for viewer: Viewer) -> Snapshot {
        // Of a state that is not made of modules there are no members to see.
        let all = layout ?? SliceLayout([])
        var slices = slices
        if let session = viewer.session {
            for index in all.ofSessions {
                slices[index] = slices[index].visible(to: session.text)
            }
        }
        guard let sight = viewer.sight else { return with(slices, all, audience) }
        let layout = all.seen(with: sight)
        for index in slices.indices where !layout.shows(index) { slices[index] = .hidden }
        return with(slices, layout, audience)
    }

    /// The same version, which stands for earlier ones, too, of which these see something.
    func standing(for audience: VersionAudience) -> Snapshot {
        guard hasSessions, audience.union(self.audience) != self.audience else { return self }
        return layout.map { with(slices, $0, audience.union(self.audience)) } ?? self
    }

    private func with(
        _ slices: [PublishedSlice],
        _ layout: SliceLayout,
        _ audience: VersionAudience
    ) -> Snapshot {
        Snapshot(
            tag: tag,
            etag: etag,
            slices: slices,
            layout: layout,
            ownBytes: ownBytes,
            audience: audience
        )
    }

    /// The version that last changed it, as far as this server has seen.
    package var changedVersion: UInt64 {
        layout == nil ? version : slices.reduce(0) { max($0, $1.version) }
    }

    /// Whether a reader gets something else than from an older version, as its viewer sees both.
    func differs(from old: Snapshot) -> Bool {
        changedVersion == old.changedVersion
            ? false
            : changedVersion > old.changedVersion
                || zip(slices, old.slices).contains { $0.differs(from: $1) }
    }

    /// The version that gave a reader what it reads now: `changed`, as the slices say it.
    ///
    /// A session that ends has the first slices again, which are older than its own were: then it
    /// is this version, so that a stream's versions never go back. `before` is what the slices said
    /// in the version that the reader had.
    func version(_ changed: UInt64, after before: UInt64) -> UInt64 {
        changed < before ? version : changed
    }

    /// The sessions that see something else of their own than in an earlier version; `nil` where
    /// all do.
    func sessions(changedSince old: Snapshot) -> Set<ExactText>? {
        var changed: Set<ExactText> = []
        for index in layout?.ofSessions ?? []
        where slices[index].version != old.slices[index].version {
            guard let mine = slices[index].sessions, let theirs = old.slices[index].sessions,
                let sessions = mine.sessions(changedSince: theirs)
            else { return nil }
            for session in sessions { changed.insert(ExactText(session)) }
        }
        return changed
    }

    /// The state as JSON. Any thread; the first caller puts it together, the others wait for that.
    ///
    /// A large one is made of its slices: it is copied only where ``Bytes`` has to lie in one
    /// piece.
    package var state: Bytes {
        whole.withLock { whole in
            if let whole { return whole }
            let joined =
                layout?.joined(slices.map(\.bytes), own: ownBytes) ?? SliceLayout.absent
            whole = joined
            return joined
        }
    }

    /// The payload of the state stream's event with this version, or with an earlier one that shows
    /// the same: made once, for all readers.
    func frame(at version: UInt64) -> Bytes {
        event.withLock { event in
            if let event, event.version == version { return event.frame }
            let frame = SSEFrame.state(state, at: Tag(epoch: tag.epoch, version: version))
            event = (version, frame)
            return frame
        }
    }

    /// Where a part of the state is found, as far as that can be said without parsing anything.
    func place(of pointer: JSONPointer) -> PartPlace {
        guard let layout, let name = pointer.tokens.first else {
            return pointer == .root ? .found(state) : .within(state, pointer)
        }
        guard let index = layout.index(of: name) else { return .found(nil) }
        let rest = JSONPointer(tokens: Array(pointer.tokens.dropFirst()))
        return slices[index].place(of: rest)
    }

    /// Whether what a pointer leads into has not to be put together of many pieces first.
    package func isAtHand(_ pointer: JSONPointer) -> Bool {
        guard let layout else { return true }
        guard let name = pointer.tokens.first else { return slices.allSatisfy(\.isAtHand) }
        guard let index = layout.index(of: name) else { return true }
        let isOfPiece = pointer.tokens.count > 1 && slices[index].namedPieces != nil
        return isOfPiece || slices[index].isAtHand
    }
}

/// Where a part is found.
enum PartPlace {
    /// Here; `nil` where the pointer leads nowhere.
    case found(Bytes?)
    /// In a document, which has to be parsed.
    case within(Bytes, JSONPointer)
}
