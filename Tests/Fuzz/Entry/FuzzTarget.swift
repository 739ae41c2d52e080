import Glibc

/// What reads bytes of any origin, and what has to hold of it.
///
/// libFuzzer keeps the input with which the process ends: by a sanitizer, a trap, or
/// ``hold(_:_:)``.
protocol FuzzTarget {
    init()

    /// Reads one input.
    mutating func run(_ bytes: UnsafeRawBufferPointer)
}

/// Ends the process where a condition does not hold.
func hold(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// The input as pieces: what stands before the first of a separator, and what stands behind it.
func halves(
    of bytes: some Collection<UInt8>,
    at separator: UInt8 = 0
) -> (first: [UInt8], second: [UInt8]) {
    let first = bytes.prefix { $0 != separator }
    return (Array(first), Array(bytes.dropFirst(first.count + 1)))
}

extension Collection<UInt8> {
    /// The bytes as text; what is no UTF-8 is replaced.
    var text: String { String(decoding: self, as: UTF8.self) }
}
