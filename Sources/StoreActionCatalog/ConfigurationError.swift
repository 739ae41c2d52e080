/// The error for a configuration that can't be used: a line with the fault and the allowed values.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, without the program's name.
    public let description: String

    package init(_ description: String) {
        self.description = description
    }

    package static func value(_ value: String, of origin: String, allowed: String) -> Self {
        Self("\(origin): '\(value)' is not allowed; allowed is \(allowed)")
    }
}
