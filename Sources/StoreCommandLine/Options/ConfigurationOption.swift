import StoreWire

/// One thing that can be configured: its flag, what it means, and how its text is read and shown.
package struct ConfigurationOption<Configuration: Sendable>: Sendable {
    /// The long flag without its dashes; also the key in the file, and in capitals the variable.
    package let name: String
    /// What the value is called in `--help`; `nil` for a switch that takes none.
    package let placeholder: String?
    /// Whether it may be given several times.
    package let repeats: Bool
    /// One line for `--help`.
    package let help: String
    /// Takes the values of the source that won, in their order.
    package let apply: Apply
    /// The values in force, as they would be written.
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
    /// A switch: present or `true`, absent or `false`.
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

    /// A whole number within bounds; `unit` is what it counts.
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

    /// A text that `check` accepts or explains.
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

    /// A text that `check` accepts or explains, or nothing.
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

    /// One of a few words.
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

    /// A file's path, or nothing.
    package static func file(
        _ name: String,
        _ member: any WritableKeyPath<Configuration, String?> & Sendable,
        help: String
    ) -> Self {
        text(name, "FILE", member, help: help) { $0.isEmpty ? "a file's path" : nil }
    }

    /// A list of texts: each value is one more.
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
