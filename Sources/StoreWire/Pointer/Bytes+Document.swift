extension Bytes {
    /// Parses a document that this program has written itself, without the limits for documents of
    /// clients.
    ///
    /// - Throws: ``JSONError`` with the offset of the error, if the bytes are not valid JSON.
    package func document() throws(JSONError) -> JSONDocument {
        try withUnsafeBytes { bytes throws(JSONError) in
            try JSONDocument(parsing: bytes, limits: .unbounded)
        }
    }

    /// Copies the bytes of a buffer.
    package convenience init(_ source: UnsafeBufferPointer<UInt8>) {
        self.init(count: source.count) { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
    }
}
