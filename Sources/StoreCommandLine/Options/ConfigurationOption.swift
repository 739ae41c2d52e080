/// An option of the configuration. A declaration has the flag, the meaning, the property that the
/// option sets, and the form of the value. The variable, the key in the file, the help and the
/// check follow from the declaration.
///
/// ```swift
/// .flag("heartbeat", "how often a stream gets a heartbeat")
///     .sets(\.streams.heartbeat, .seconds(1...3_600))
/// ```
public struct ConfigurationOption<Configuration: Sendable>: Sendable {
    /// The long flag without dashes. The name is also the key in the file and, in capitals, the end
    /// of the variable's name.
    package let name: String
    /// The name of the value in `--help`; `nil` for a switch, which has no value.
    package let placeholder: String?
    /// True if the option may be given several times.
    package let isRepeatable: Bool
    /// True if no output of the program may contain the value.
    package let isSecret: Bool
    /// True if the form does not allow the default: the option must then be given.
    package private(set) var isRequired = false
    package let help: String
    /// The description of the allowed texts, for errors.
    let allowedDescription: String
    /// Sets the property to the values of these texts. The last parameter is the name of the texts'
    /// source, for errors.
    package let apply: @Sendable (inout Configuration, [String], String) throws(UsageError) -> Void
    /// Returns the texts of the property's values, as a user would write them.
    package let formatValues: @Sendable (Configuration) -> [String]
    /// Refuses values of the property that a user could not write.
    package let check: @Sendable (Configuration) throws(UsageError) -> Void

    /// The flag on the command line. The flag of a secret has the path of a file, because other
    /// users of the machine can read the flags of a process.
    var flag: String { isSecret ? "--\(name)-file" : "--\(name)" }

    var variable: String {
        ConfigurationOptions.environmentPrefix
            + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// Begins the declaration of an option.
    ///
    /// - Parameters:
    ///   - name: the flag without dashes: at most 40 lowercase letters, digits and single hyphens,
    ///     a letter first.
    ///   - help: the meaning in the output of `--help`, without the bounds and the default.
    /// - Returns: the declaration without its property, which `sets` adds.
    public static func flag(_ name: String, _ help: String) -> OptionFlag<Configuration> {
        OptionFlag(name: name, help: help)
    }
}

extension ConfigurationOption {
    /// Returns this option as an option of a larger configuration that contains the option's own
    /// configuration. `defaults` is the own configuration with its defaults.
    package func lifted<Whole>(
        defaults: Configuration,
        get: @escaping @Sendable (Whole) -> Configuration,
        set: @escaping @Sendable (inout Whole, Configuration) -> Void
    ) -> ConfigurationOption<Whole> {
        var lifted = ConfigurationOption<Whole>(
            name: name,
            placeholder: placeholder,
            isRepeatable: isRepeatable,
            isSecret: isSecret,
            help: help,
            allowedDescription: allowedDescription,
            apply: { whole, texts, origin throws(UsageError) in
                var part = get(whole)
                try apply(&part, texts, origin)
                set(&whole, part)
            },
            formatValues: { formatValues(get($0)) },
            check: { whole throws(UsageError) in try check(get(whole)) }
        )
        lifted.isRequired = !isAllowed(in: defaults)
        return lifted
    }

    private func isAllowed(in configuration: Configuration) -> Bool {
        do { try check(configuration) } catch { return false }
        return true
    }

    /// Returns true if the option is required, and the configuration has no allowed value of it.
    func isMissing(in configuration: Configuration) -> Bool {
        isRequired && !isAllowed(in: configuration)
    }

    /// Refuses a missing value of a required option, and a value that a user could not write.
    package func checkValues(
        in configuration: Configuration,
        defaults: Configuration
    ) throws(UsageError) {
        guard isRequired, formatValues(configuration) == formatValues(defaults) else {
            return try check(configuration)
        }
        throw UsageError(
            "\(flag) is required: give the flag, \(variable), \(variable)_FILE with the path of a "
                + "file, or '\(name)' in the file of --config; allowed is \(allowedDescription)"
        )
    }

    /// Refuses a program's options if a name is not allowed, or is the name of another option.
    package static func checkNames(of own: [Self], beside library: [Self]) throws(UsageError) {
        let reserved = library.map(\.name) + ConfigurationOptions.commandFlags + ["token"]
        var names: Set<String> = []
        for name in own.map(\.name) {
            guard OptionNameRule.isUsable(name) else {
                throw UsageError(
                    "this program declares the option '--\(name)', whose name is not allowed; "
                        + "allowed are \(OptionNameRule.allowedDescription)"
                )
            }
            guard !reserved.contains(name) else {
                throw UsageError(
                    "this program declares the option --\(name), but that is a flag of the "
                        + "library; rename the program's option"
                )
            }
            guard names.insert(name).inserted else {
                throw UsageError("this program declares the option --\(name) twice; rename one")
            }
        }
        // The variable of an option with `_FILE` at its end has the path of a file.
        for name in names.sorted() {
            let taken = reserved + names
            guard
                let other = taken.first(where: { "\($0)-file" == name || "\(name)-file" == $0 })
            else { continue }
            throw UsageError(
                "this program declares the option --\(name), whose variables clash with those of "
                    + "--\(other): the variable NAME_FILE has the path of a file with the value of "
                    + "NAME; rename the program's option"
            )
        }
    }
}

/// The rule for the names of a program's own options, which become parts of variables.
private enum OptionNameRule {
    static let bytesMax = 40
    static let allowedDescription =
        "at most \(bytesMax) lowercase letters, digits and single hyphens between them, a letter "
        + "first"

    static func isUsable(_ name: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return name.utf8.count <= bytesMax && letters.contains(name.utf8.first ?? 0)
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { letters.contains($0) || digits.contains($0) }
            }
    }
}

/// A declaration with the flag and the meaning of an option; `sets` adds the property and the form.
public struct OptionFlag<Configuration: Sendable> {
    fileprivate let name: String
    fileprivate let help: String

    /// Makes an option that sets a property. If the form does not allow the property's default, the
    /// option is required.
    public func sets<Value>(
        _ member: any WritableKeyPath<Configuration, Value> & Sendable,
        _ form: OptionForm<Value>
    ) -> ConfigurationOption<Configuration> {
        option(form, repeats: false, get: { [$0[keyPath: member]] }) { configuration, values in
            if let value = values.last { configuration[keyPath: member] = value }
        }
    }

    /// Makes an option that may be given several times. Each text adds an element to a list. In a
    /// variable, commas separate the texts.
    public func sets<Value>(
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
            isSecret: form.isSecret,
            help: help + form.helpSuffix + (repeats ? " (repeatable)" : ""),
            allowedDescription: form.describeAllowed(""),
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
    /// The flags of commands, which are no options.
    static let commandFlags =
        [
            "config", "help", "version", "check-config", "print-config", "health", "url", "watch",
            "token-file", "as", "if-new", "store",
        ] + TokenCommand.flags + PolicyCommand.Flag.allCases.map(\.rawValue)
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
