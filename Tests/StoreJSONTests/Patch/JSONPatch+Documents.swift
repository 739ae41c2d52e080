@testable import StoreJSON

extension JSONPatch {
    /// Returns the operations that turn one document into the other. Both are at the same place.
    static func diff(
        from old: JSONDocument,
        to new: JSONDocument,
        at place: JSONPointer = .root
    ) throws -> Bytes {
        try diff(of: [
            Change(at: place, from: Bytes(old.root.source), to: Bytes(new.root.source))
        ])
    }
}
