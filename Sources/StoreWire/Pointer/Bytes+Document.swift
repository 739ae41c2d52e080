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

    /// Copies bytes.
    package convenience init(_ source: UnsafeBufferPointer<UInt8>) {
        self.init(count: source.count) { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
}
