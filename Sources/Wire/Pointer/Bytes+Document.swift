extension Bytes {
    /// Reads a document that this program has written itself: no bound of its clients applies to
    /// it.
    ///
    /// - Throws: where it is none, with the offset of what is wrong.
    package func document() throws(JSONError) -> JSONDocument {
        try withUnsafeBytes { bytes throws(JSONError) in
            try JSONDocument(parsing: bytes, limits: .unbounded)
        }
    }

    /// The part of a document that a pointer leads to, or `nil` where it leads nowhere.
    package func part(at pointer: JSONPointer) -> Bytes? {
        if pointer == .root { return self }
        guard let document = try? document() else { return nil }
        return pointer.find(in: document).map { Bytes($0.source) }
    }

    /// Copies bytes.
    package convenience init(_ source: UnsafeBufferPointer<UInt8>) {
        self.init(count: source.count) { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
}
