package import StoreJSON
package import StoreTexts
package import StoreWire

/// A part of the state that readers may watch: its container, its pointer, and the topic of its
/// streams.
package struct WatchedPart: Hashable, Sendable {
    /// The document or slice that contains the part.
    enum Container: Hashable, Sendable {
        /// The slice of the module at this index; if there is an owner, the slice of that owner.
        case module(Int, ExactText? = nil)
        /// The whole state, which is not made of modules.
        case state
        /// No container: there is no such module, or the viewer may not see the module.
        case nowhere
    }

    let container: Container
    /// The pointer to the part within the container.
    package let pointer: JSONPointer
    /// The window of the object at the pointer; `nil` for the whole part.
    let window: MemberWindow?
    package let topic: TopicID
    /// True if a client chose the pointer; false for an instance of a module.
    package let isClientPointer: Bool

    /// Makes the part for an instance of a module. If `owner` is not `nil`, the instance belongs to
    /// this session or user.
    package init(
        instance id: String,
        of module: Int,
        named name: String,
        for owner: ExactText? = nil
    ) {
        container = .module(module, owner)
        pointer = JSONPointer(tokens: [id])
        window = nil
        topic = TopicID(
            .instance(ExactText(name), id: ExactText(id)),
            for: Viewer(session: owner)
        )
        isClientPointer = false
    }

    /// Makes the part at a pointer, or a window of the part, as a viewer sees the state. `layout`
    /// is `nil` if the state is not made of modules. The pointer must not lead to the whole state.
    package init(
        at pointer: JSONPointer,
        _ window: MemberWindow? = nil,
        in layout: SliceLayout?,
        for viewer: Viewer = .unrestricted
    ) {
        isClientPointer = true
        self.window = window
        let subject = StreamSubject.part(
            ExactText((window?.topicPrefix ?? "") + pointer.description)
        )
        self.pointer = layout == nil ? pointer : pointer.withoutFirstToken
        let module = pointer.tokens.first.flatMap { layout?.index(of: $0) }
        let isHidden = pointer.tokens.first.map { !viewer.sees(module: $0) } ?? false
        guard !isHidden, viewer.sight == nil || layout != nil else {
            // A viewer that may not see the part shares no stream with a viewer that sees the part.
            container = .nowhere
            topic = TopicID(subject, for: Viewer(session: nil, sight: viewer.sight))
            return
        }
        guard let layout else {
            container = .state
            topic = TopicID(subject)
            return
        }
        let owner = module.flatMap { layout.owner(of: viewer, $0) }
        container = module.map { .module($0, owner) } ?? .nowhere
        topic = TopicID(subject, for: Viewer(session: owner))
    }
}

extension WatchedPart.Container {
    /// The owner of the container; `nil` if the container is shared.
    var owner: ExactText? { if case .module(_, let owner) = self { owner } else { nil } }

    func slice(in snapshot: Snapshot) -> PublishedSlice? {
        guard case .module(let index, let owner) = self else { return nil }
        let slice = snapshot.slices[index]
        return owner.map { slice.visible(to: $0.text) } ?? slice
    }

    func location(of pointer: JSONPointer, in snapshot: Snapshot) -> PartLocation {
        switch self {
        case .module: slice(in: snapshot)?.location(of: pointer) ?? .resolved(nil)
        case .state: .inDocument(snapshot.state, pointer)
        case .nowhere: .resolved(nil)
        }
    }

    /// Returns the document that contains the parts; `nil` if there is no container.
    func bytes(in snapshot: Snapshot) -> Bytes? {
        switch self {
        case .module: slice(in: snapshot)?.bytes ?? SliceLayout.absentSliceJSON
        case .state: snapshot.state
        case .nowhere: nil
        }
    }

    /// Returns the pieces that contain the parts. Each piece is a separate document. Returns `nil`
    /// if the container has no named pieces.
    func pieces(in snapshot: Snapshot) -> EncodedPieces? { slice(in: snapshot)?.addressablePieces }

    /// Returns the version that last changed the container, or the first version that this server
    /// published.
    func version(in snapshot: Snapshot) -> UInt64 {
        slice(in: snapshot)?.version ?? snapshot.version
    }

    /// Returns true if parts of the container may differ between two versions.
    func differs(_ new: Snapshot, from old: Snapshot) -> Bool {
        switch self {
        case .module: slice(in: new)?.version != slice(in: old)?.version
        case .state: new.state != old.state
        case .nowhere: false
        }
    }
}

extension WatchedPart {
    /// Returns the watched bytes of the part that contains the window; `nil` if the part is no
    /// object. Returns the part itself if the whole part is watched.
    func windowed(_ part: Bytes?) -> Bytes? {
        guard let window else { return part }
        return part?.content(of: window)?.object
    }
}

extension MemberWindow {
    /// The text before the pointer in the name of a topic. No pointer begins with this text.
    fileprivate var topicPrefix: String {
        " limit=\(limit)" + (startName.map { " from " + JSONText.quoted($0.text) } ?? "") + " at "
    }
}
