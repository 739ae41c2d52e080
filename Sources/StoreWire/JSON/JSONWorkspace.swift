/// The memory of one document after another: none is allocated for a document once it is warm.
///
/// One thread at a time may use it. A document that is kept takes the memory with it.
package final class JSONWorkspace {
    /// More memory than this is freed with the next document.
    private static let keptBytesMax = 64 << 10

    // Safety: one thread uses it, on one property at a time; the accesses are not checked.
    @exclusivity(unchecked) private var tape = JSONTape()

    package init() {}

    /// Reads a whole document.
    ///
    /// - Throws: ``JSONError`` with the offset of what is wrong.
    package func parse(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits
    ) throws(JSONError) -> JSONDocument {
        if isKnownUniquelyReferenced(&tape) {
            tape.shrink(below: Self.keptBytesMax)
        } else {
            tape = JSONTape()
        }
        return try JSONDocument(parsing: bytes, onto: tape, limits: limits)
    }
}
