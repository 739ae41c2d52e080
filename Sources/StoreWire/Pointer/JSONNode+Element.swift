extension JSONNode {
    /// Returns the element at a position of an array, without a list of all elements; `nil` if
    /// there is none.
    package func element(at position: Int) -> JSONNode? {
        guard kind == .array, position >= 0, position < count else { return nil }
        var child = index + 1
        for _ in 0..<position { child = Int(tape.entries[child].next) }
        return JSONNode(tape: tape, index: child)
    }
}
