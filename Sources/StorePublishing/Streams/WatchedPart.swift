package import StoreEventStream
package import StoreTexts
package import StoreWire

/// A part of the state that readers may watch: where it is found, and the topic of its streams.
package struct WatchedPart: Hashable, Sendable {
    /// Where it is looked for.
    enum Container: Hashable, Sendable {
        /// The slice of the module at this place; that of a session, where one is named.
        case module(Int, ExactText? = nil)
        /// All of a state that is not made of modules.
        case state
        /// Nothing: there is no such module.
        case nowhere
    }

    let container: Container
    /// The pointer to it, in the container.
    package let pointer: JSONPointer
    package let topic: TopicID
    /// Whether a client has chosen the pointer, and not only an instance.
    package let isPointer: Bool

    /// One of a module's instances; one of those of a session, where one is named.
    package init(
        instance id: String,
        of module: Int,
        named name: String,
        for session: ExactText? = nil
    ) {
        container = .module(module, session)
        pointer = JSONPointer(tokens: [id])
        topic = TopicID(
            .instance(ExactText(name), id: ExactText(id)),
            for: Viewer(session: session)
        )
        isPointer = false
    }

    /// What a pointer leads to, in a state that is made of modules as they are laid out, as a
    /// viewer sees it. The pointer is not that to the whole state.
    package init(at pointer: JSONPointer, in layout: SliceLayout?, for viewer: Viewer = .all) {
        isPointer = true
        let subject = StreamSubject.part(ExactText(pointer.description))
        self.pointer = JSONPointer(tokens: Array(pointer.tokens.dropFirst(layout == nil ? 0 : 1)))
        let module = pointer.tokens.first.flatMap { layout?.index(of: $0) }
        let isHidden = pointer.tokens.first.map { !viewer.sees(module: $0) } ?? false
        guard !isHidden, viewer.sight == nil || layout != nil else {
            // It shares no stream with those who see it.
            container = .nowhere
            topic = TopicID(subject, for: Viewer(session: nil, sight: viewer.sight))
            return
        }
        guard let layout else {
            container = .state
            topic = TopicID(subject)
            return
        }
        let owner = module.flatMap { layout.ofSessions.contains($0) ? viewer.session : nil }
        container = module.map { .module($0, owner) } ?? .nowhere
        topic = TopicID(subject, for: Viewer(session: owner))
    }
}

extension WatchedPart {
    /// Whether finding it in a version costs little.
    package func isAtHand(in snapshot: Snapshot, _ documents: ParsedDocuments) -> Bool {
        if let slice = container.slice(in: snapshot) {
            let isOfPiece = !pointer.tokens.isEmpty && slice.namedPieces != nil
            guard isOfPiece || slice.isAtHand else { return false }
        }
        return switch container.place(of: pointer, in: snapshot) {
        case .found: true
        case .within(let bytes, _): documents.ready(bytes) != nil
        }
    }
}

extension WatchedPart.Container {
    /// The session whose part it is; `nil` where it is shared.
    var session: ExactText? {
        if case .module(_, let session) = self { session } else { nil }
    }

    /// The slice of the state that it is; `nil` where it is none.
    func slice(in snapshot: Snapshot) -> PublishedSlice? {
        guard case .module(let index, let session) = self else { return nil }
        let slice = snapshot.slices[index]
        return session.map { slice.visible(to: $0.text) } ?? slice
    }

    /// Where a part of it is found, in a version of the state.
    func place(of pointer: JSONPointer, in snapshot: Snapshot) -> PartPlace {
        switch self {
        case .module: slice(in: snapshot)?.place(of: pointer) ?? .found(nil)
        case .state: .within(snapshot.state, pointer)
        case .nowhere: .found(nil)
        }
    }

    /// The document that the parts are looked for in.
    func bytes(in snapshot: Snapshot) -> Bytes? {
        switch self {
        case .module: slice(in: snapshot)?.bytes ?? SliceLayout.absent
        case .state: snapshot.state
        case .nowhere: nil
        }
    }

    /// The pieces that the parts are looked for in, each a document of its own; `nil` where it has
    /// none.
    func pieces(in snapshot: Snapshot) -> InstancePieces? {
        slice(in: snapshot)?.namedPieces
    }

    /// The version that changed it last, as far as this server has seen.
    func version(in snapshot: Snapshot) -> UInt64 {
        slice(in: snapshot)?.version ?? snapshot.version
    }

    /// Whether parts of it may differ between two versions.
    func differs(_ new: Snapshot, from old: Snapshot) -> Bool {
        switch self {
        case .module: slice(in: new)?.version != slice(in: old)?.version
        case .state: new.state != old.state
        case .nowhere: false
        }
    }
}
