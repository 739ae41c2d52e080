/// Memory that one document after another uses. A document allocates nothing if the memory is large
/// enough for it.
///
/// Only one thread at a time may use a workspace. If a document still exists at the next
/// call, it keeps the memory, and the workspace allocates anew.
package final class JSONWorkspace {
    /// The maximum number of bytes that the workspace keeps for the next document.
    private static let keptBytesMax = 64 << 10

    // Safety: one thread uses it, on one property at a time; the accesses are not checked.
    @exclusivity(unchecked) private var tape = JSONTape()

    package init() {}

    /// Parses a whole document.
    ///
    /// - Throws: ``JSONError`` with the offset of the error.
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
