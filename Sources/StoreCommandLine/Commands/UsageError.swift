/// The error of a command line, a configuration or a script that can't be used. The message is a
/// line with the mistake and the allowed values.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// The line, without the program's name.
    package let description: String

    package init(_ description: String) { self.description = description }

    static func givenTwice(_ flag: String) -> Self {
        Self("--\(flag) is given twice; it is allowed once")
    }

    package static func disallowedValue(_ value: String, of origin: String, allowed: String) -> Self
    {
        Self("\(origin): '\(value)' is not allowed; allowed is \(allowed)")
    }
}
