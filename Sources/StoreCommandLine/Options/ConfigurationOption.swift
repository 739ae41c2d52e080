/// An option of the configuration. A declaration has the flag, the meaning, the property that the
/// option sets, and the form of the value. The variable, the key in the file, the help and the
/// check follow from the declaration.
///
/// ```swift
/// .flag("heartbeat", "how often a stream gets a heartbeat")
///     .sets(\.streams.heartbeat, .seconds(1...3_600))
/// ```
package struct ConfigurationOption<Configuration: Sendable>: Sendable {
    /// The long flag without dashes. The name is also the key in the file and, in capitals, the end
    /// of the variable's name.
    package let name: String
    /// The name of the value in `--help`; `nil` for a switch, which has no value.
    package let placeholder: String?
    /// True if the option may be given several times.
    package let isRepeatable: Bool
    package let help: String
    /// Sets the property to the values of these texts. The last parameter is the name of the texts'
    /// source, for errors.
    package let apply: @Sendable (inout Configuration, [String], String) throws(UsageError) -> Void
    /// Returns the texts of the property's values, as a user would write them.
    package let formatValues: @Sendable (Configuration) -> [String]
    /// Refuses values of the property that a user could not write.
    package let check: @Sendable (Configuration) throws(UsageError) -> Void

    var variable: String {
        ConfigurationOptions.environmentPrefix
            + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Begins the declaration of an option. `name` is the flag without dashes, `help` is the
    /// meaning.
    package static func flag(_ name: String, _ help: String) -> OptionFlag<Configuration> {
        OptionFlag(name: name, help: help)
    }
}

/// A declaration with the flag and the meaning of an option; `sets` adds the property and the form.
package struct OptionFlag<Configuration: Sendable> {
    fileprivate let name: String
    fileprivate let help: String

    /// Makes an option that sets a property.
    package func sets<Value>(
        _ member: any WritableKeyPath<Configuration, Value> & Sendable,
        _ form: OptionForm<Value>
    ) -> ConfigurationOption<Configuration> {
        option(form, repeats: false, get: { [$0[keyPath: member]] }) { configuration, values in
            if let value = values.last { configuration[keyPath: member] = value }
        }
    }

    /// Makes an option that may be given several times. Each text adds an element to a list.
    package func sets<Value>(
        each member: any WritableKeyPath<Configuration, [Value]> & Sendable,
        _ form: OptionForm<Value>
    ) -> ConfigurationOption<Configuration> {
        option(form, repeats: true, get: { $0[keyPath: member] }) { configuration, values in
            configuration[keyPath: member] = values
        }
    }

    private func option<Value>(
        _ form: OptionForm<Value>,
        repeats: Bool,
        get: @escaping @Sendable (Configuration) -> [Value],
        set: @escaping @Sendable (inout Configuration, [Value]) -> Void
    ) -> ConfigurationOption<Configuration> {
        let flag = "--\(name)"
        return ConfigurationOption(
            name: name,
            placeholder: form.placeholder,
            isRepeatable: repeats,
            help: help + form.helpSuffix + (repeats ? " (repeatable)" : ""),
            apply: { configuration, texts, origin throws(UsageError) in
                let values = try texts.map { text throws(UsageError) in
                    try form.value(text, of: origin)
                }
                set(&configuration, values)
            },
            formatValues: { get($0).compactMap(form.format) },
            check: { configuration throws(UsageError) in
                for value in get(configuration) { try form.checkRoundTrip(value, of: flag) }
            }
        )
    }
}

/// The constants that all options share.
package enum ConfigurationOptions {
    static let environmentPrefix = "STORE_SERVER_"
    /// The maximum size of a configuration file, in bytes.
    package static let fileBytesMax = 1 << 20
}

/// A configuration that is set by flags, variables and a file.
package protocol CommandLineConfiguration: Sendable {
    /// The options, in the order in which `--help` lists them.
    static var options: [ConfigurationOption<Self>] { get }

    static var defaults: Self { get }
}

extension CommandLineConfiguration {
    package static func option(_ name: some StringProtocol) -> ConfigurationOption<Self>? {
        options.first { $0.name == name }
    }
}
