import StoreEventStream
package import StoreWire

/// The result of a cheap search for a part of a version.
package enum QuickPart {
    case bytes(Bytes)
    /// A node in a small document, which was parsed for this search.
    case node(JSONNode)
    case nowhere
    /// The part is large, or a large slice has to be parsed or joined first.
    case later
}

extension ParsedDocuments {
    /// Returns the part at a pointer if that is cheap, else ``QuickPart/later``. Parses a small
    /// document in the workspace.
    package func quickPart(
        at pointer: JSONPointer,
        in snapshot: Snapshot,
        _ workspace: JSONWorkspace
    ) -> QuickPart {
        guard snapshot.isAtHand(pointer) else { return .later }
        switch snapshot.place(of: pointer) {
        case .found(nil): return .nowhere
        case .found(let bytes?):
            return bytes.isPaced ? .later : .bytes(bytes)
        case .within(let bytes, let pointer):
            if bytes.isInPieces { return .later }
            if bytes.count < Self.keptBytesMin {
                let document = bytes.withUnsafeBytes {
                    try? workspace.parse($0, limits: .unbounded)
                }
                return document.flatMap { pointer.find(in: $0) }.map { .node($0) } ?? .nowhere
            }
            guard let document = ready(bytes) else { return .later }
            guard let part = document.part(at: pointer) else { return .nowhere }
            return part.isPaced ? .later : .bytes(part)
        }
    }

    /// Returns the part at a pointer, however long that takes; `nil` if the pointer leads nowhere.
    /// Any thread but the event loop's and the Core's.
    package func part(at pointer: JSONPointer, in snapshot: Snapshot) -> Bytes? {
        switch snapshot.place(of: pointer) {
        case .found(let bytes): bytes
        case .within(let bytes, let pointer): document(of: bytes)?.part(at: pointer)
        }
    }
}

extension Bytes {
    fileprivate var isPaced: Bool { count >= ReaderPace.answerBytesMin }
}
