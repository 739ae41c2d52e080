import Glibc

/// A reader of bytes of any origin, with the conditions that must hold for it.
///
/// After a fault, a sanitizer, a trap or ``hold(_:_:)`` ends the process, and libFuzzer keeps the
/// input.
protocol FuzzTarget {
    init()

    /// Reads one input.
    mutating func run(_ bytes: UnsafeRawBufferPointer)
}

/// Ends the process if a condition does not hold.
func hold(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

/// Returns the two parts of the input before and after the first separator.
func halves(
    of bytes: some Collection<UInt8>,
    at separator: UInt8 = 0
) -> (first: [UInt8], second: [UInt8]) {
    let first = bytes.prefix { $0 != separator }
    return (Array(first), Array(bytes.dropFirst(first.count + 1)))
}

extension Collection<UInt8> {
    /// The bytes as text; bytes that are no UTF-8 are replaced.
    var text: String { String(decoding: self, as: UTF8.self) }
}
