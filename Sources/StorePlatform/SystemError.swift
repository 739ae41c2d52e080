import Glibc

/// The texts of the system's errors (`strerror(3)`).
package enum SystemError {
    /// The text of `errno` as it is now.
    package static var text: String { text(of: errno) }

    /// The text of an error's number. Any thread, unlike that of `strerror`.
    package static func text(of code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
            as: UTF8.self
        )
    }
}
