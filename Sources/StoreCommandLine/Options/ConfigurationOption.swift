/// An option of the configuration: its flag, its meaning, and the functions that read and show its
/// text.
package struct ConfigurationOption<Configuration: Sendable>: Sendable {
    /// The long flag without its dashes; also the key in the file, and in capitals the variable.
    package let name: String
    /// The name of the value in `--help`; `nil` for a switch, which has no value.
    package let placeholder: String?
    /// True if the option may be given several times.
    package let repeats: Bool
    /// The line for `--help`.
    package let help: String
    /// Sets the values of the source with the highest priority, in their order.
    package let apply: Apply
    /// Returns the values in force, as a user would write them.
    package let show: @Sendable (Configuration) -> [String]

    package typealias Apply =
        @Sendable (inout Configuration, [String], String) throws(UsageError) -> Void

    package init(
        name: String,
        placeholder: String?,
        repeats: Bool = false,
        help: String,
        apply: @escaping Apply,
        show: @escaping @Sendable (Configuration) -> [String]
    ) {
        self.name = name
        self.placeholder = placeholder
        self.repeats = repeats
        self.help = help
        self.apply = apply
        self.show = show
    }

    /// The environment variable of this option.
    var variable: String {
        ConfigurationOptions.environmentPrefix
            + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}

extension ConfigurationOption {
    /// Makes a switch: present or `true`, absent or `false`.
    package static func flag(
        _ name: String,
        _ member: any WritableKeyPath<Configuration, Bool> & Sendable,
        help: String
    ) -> Self {
        Self(
            name: name,
            placeholder: nil,
            help: help,
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    switch value {
                    case "true", "1": configuration[keyPath: member] = true
                    case "false", "0": configuration[keyPath: member] = false
                    default: throw .value(value, of: origin, allowed: "true or false")
                    }
                }
            },
            show: { [$0[keyPath: member] ? "true" : "false"] }
        )
    }

    /// Makes an option for a whole number within bounds; `unit` is the unit of the number.
    package static func number(
        _ name: String,
        _ member: any WritableKeyPath<Configuration, Int> & Sendable,
        in range: ClosedRange<Int>,
        unit: String,
        help: String
    ) -> Self {
        Self(
            name: name,
            placeholder: "N",
            help: "\(help), in \(unit) (\(range.lowerBound)...\(range.upperBound))",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    guard let number = Int(value), range.contains(number) else {
                        throw .value(
                            value,
                            of: origin,
                            allowed: "a whole number of \(unit) from \(range.lowerBound) "
                                + "to \(range.upperBound)"
                        )
                    }
                    configuration[keyPath: member] = number
                }
            },
            show: { [String($0[keyPath: member])] }
        )
    }

    /// Makes an option for a text. `check` returns `nil` if it accepts the text, else a description
    /// of the allowed texts.
    package static func text(
        _ name: String,
        _ placeholder: String,
        _ member: any WritableKeyPath<Configuration, String> & Sendable,
        help: String,
        check: @escaping @Sendable (String) -> String? = { $0.isEmpty ? "some text" : nil }
    ) -> Self {
        text(name, placeholder, help: help, check: check) {
            $0[keyPath: member] = $1
        } show: {
            [$0[keyPath: member]]
        }
    }

    /// Makes an option for a text that may be absent. `check` returns `nil` if it accepts the text,
    /// else a description of the allowed texts.
    package static func text(
        _ name: String,
        _ placeholder: String,
        _ member: any WritableKeyPath<Configuration, String?> & Sendable,
        help: String,
        check: @escaping @Sendable (String) -> String? = { $0.isEmpty ? "some text" : nil }
    ) -> Self {
        text(name, placeholder, help: help, check: check) {
            $0[keyPath: member] = $1
        } show: {
            $0[keyPath: member].map { [$0] } ?? []
        }
    }

    private static func text(
        _ name: String,
        _ placeholder: String,
        help: String,
        check: @escaping @Sendable (String) -> String?,
        set: @escaping @Sendable (inout Configuration, String) -> Void,
        show: @escaping @Sendable (Configuration) -> [String]
    ) -> Self {
        Self(
            name: name,
            placeholder: placeholder,
            help: help,
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    if let allowed = check(value) {
                        throw .value(value, of: origin, allowed: allowed)
                    }
                    set(&configuration, value)
                }
            },
            show: show
        )
    }

    /// Makes an option for one of a few words.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ placeholder: String,
        _ member: any WritableKeyPath<Configuration, Choice> & Sendable,
        help: String
    ) -> Self {
        let choices = Array(Choice.allCases)
        return Self(
            name: name,
            placeholder: placeholder,
            help: help,
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    guard let choice = choices.first(where: { $0.rawValue == value }) else {
                        let allowed = choices.map(\.rawValue).joined(separator: " or ")
                        throw .value(value, of: origin, allowed: allowed)
                    }
                    configuration[keyPath: member] = choice
                }
            },
            show: { [$0[keyPath: member].rawValue] }
        )
    }

    /// Makes an option for a file's path, which may be absent.
    package static func file(
        _ name: String,
        _ member: any WritableKeyPath<Configuration, String?> & Sendable,
        help: String
    ) -> Self {
        text(name, "FILE", member, help: help) { $0.isEmpty ? "a file's path" : nil }
    }

    /// Makes an option for a list of texts; each value is a further element.
    package static func list(
        _ name: String,
        _ placeholder: String,
        _ member: any WritableKeyPath<Configuration, [String]> & Sendable,
        help: String,
        check: @escaping @Sendable (String) -> String?
    ) -> Self {
        Self(
            name: name,
            placeholder: placeholder,
            repeats: true,
            help: help + " (repeatable)",
            apply: { configuration, values, origin throws(UsageError) in
                for value in values {
                    if let allowed = check(value) {
                        throw .value(value, of: origin, allowed: allowed)
                    }
                }
                configuration[keyPath: member] = values
            },
            show: { $0[keyPath: member] }
        )
    }
}

/// The constants that all options share.
enum ConfigurationOptions {
    /// The prefix of the environment variables of options.
    static let environmentPrefix = "STORE_SERVER_"
    /// The maximum size of a configuration file, in bytes.
    static let fileBytesMax = 1 << 20
}

/// A configuration that flags, variables and a file set.
package protocol CommandLineConfiguration: Sendable {
    /// Every option, in the order in which `--help` lists them.
    static var options: [ConfigurationOption<Self>] { get }

    /// The configuration if no option is given.
    static var defaults: Self { get }
}
