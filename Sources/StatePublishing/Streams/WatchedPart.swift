package import EventStream
import Texts
package import Wire

/// A part of the state that readers may watch: where it is found, and the topic of its streams.
package struct WatchedPart: Hashable, Sendable {
    /// Where it is looked for.
    enum Container: Hashable, Sendable {
        /// The slice of the module at this place.
        case module(Int)
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

    /// One of a module's instances.
    package init(instance id: String, of module: Int, named name: String) {
        container = .module(module)
        pointer = JSONPointer(tokens: [id])
        topic = TopicID(.instance(ExactText(name), id: ExactText(id)))
        isPointer = false
    }

    /// What a pointer leads to, in a state that is made of modules of these names. The pointer is
    /// not that to the whole state.
    package init(at pointer: JSONPointer, modules: [String]?) {
        topic = TopicID(.part(ExactText(pointer.description)))
        isPointer = true
        guard let modules else {
            (container, self.pointer) = (.state, pointer)
            return
        }
        self.pointer = JSONPointer(tokens: Array(pointer.tokens.dropFirst()))
        let module = modules.firstIndex { name in
            pointer.tokens.first.map { name.utf8.elementsEqual($0.utf8) } == true
        }
        container = module.map { .module($0) } ?? .nowhere
    }
}

extension WatchedPart {
    /// Whether finding it in a version costs little.
    package func isAtHand(in snapshot: Snapshot, _ documents: ParsedDocuments) -> Bool {
        if case .module(let index) = container {
            let isOfPiece = !pointer.tokens.isEmpty && snapshot.slices[index].namedPieces != nil
            guard isOfPiece || snapshot.slices[index].isAtHand else { return false }
        }
        return switch container.place(of: pointer, in: snapshot) {
        case .found: true
        case .within(let bytes, _): documents.ready(bytes) != nil
        }
    }
}

extension WatchedPart.Container {
    /// Where a part of it is found, in a version of the state.
    package func place(of pointer: JSONPointer, in snapshot: Snapshot) -> PartPlace {
        switch self {
        case .module(let index): snapshot.slices[index].place(of: pointer)
        case .state: .within(snapshot.state, pointer)
        case .nowhere: .found(nil)
        }
    }

    /// The document that the parts are looked for in.
    package func bytes(in snapshot: Snapshot) -> Bytes? {
        switch self {
        case .module(let index): snapshot.slices[index].bytes ?? SliceLayout.absent
        case .state: snapshot.state
        case .nowhere: nil
        }
    }

    /// The pieces that the parts are looked for in, each a document of its own; `nil` where it has
    /// none.
    package func pieces(in snapshot: Snapshot) -> InstancePieces? {
        if case .module(let index) = self { snapshot.slices[index].namedPieces } else { nil }
    }

    /// The version that changed it last, as far as this server has seen.
    package func version(in snapshot: Snapshot) -> UInt64 {
        if case .module(let index) = self {
            snapshot.slices[index].version
        } else {
            snapshot.version
        }
    }

    /// Whether parts of it may differ between two versions.
    package func differs(_ new: Snapshot, from old: Snapshot) -> Bool {
        switch self {
        case .module(let index): new.slices[index].version != old.slices[index].version
        case .state: new.state != old.state
        case .nowhere: false
        }
    }
}
