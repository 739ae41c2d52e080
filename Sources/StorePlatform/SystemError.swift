import Glibc

/// The texts of the system's errors (`strerror(3)`).
package enum SystemError {
    /// The text of the current `errno`.
    package static var text: String { text(of: errno) }

    /// Returns the text of an error number. Unlike `strerror`, any thread may call it.
    package static func text(of code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
    }
}
