import Wire

/// Puts a configuration together from flags, environment and file, in that order of weight.
struct ConfigurationReader {
    static let environmentPrefix = "STORE_SERVER_"

    /// What the command line asks for.
    enum Command: Equatable {
        case serve, help, version, checkConfig, printConfig
        /// Ask a running server whether it is ready; the value is where, if not the default.
        case health(String?)
        /// Do something with the history in the data directory.
        case history(HistoryCommand)
        /// Play a script against a running server, or one that is started for it.
        case assert(file: String, url: String?)

        /// Whether a script is played, for which a server of its own keeps nothing.
        var isAssert: Bool { if case .assert = self { true } else { false } }
    }

    private(set) var command = Command.serve
    private(set) var configuration = ServerConfiguration()
    /// Variables with our prefix that name no option. They are no error: a cluster sets some of its
    /// own, such as STORE_SERVER_PORT for a service called store-server.
    private(set) var unknownVariables: [String] = []

    /// The names of the options that a flag, a variable or the file sets.
    private(set) var said: Set<String> = []

    private var fromFlags: [String: [String]] = [:]
    private var configFile: String?

    /// Reads the whole configuration.
    ///
    /// - Parameters:
    ///   - arguments: the command line without the program's name.
    ///   - environment: the variables; only those with ``environmentPrefix`` count.
    ///   - readFile: gives a file's bytes, or `nil` where it can't be read.
    init(
        arguments: [String],
        environment: [String: String],
        readFile: (String) -> [UInt8]?
    ) throws(ConfigurationError) {
        try readFlags(arguments)
        let fromEnvironment = readEnvironment(environment)
        configFile = configFile ?? environment[Self.environmentPrefix + "CONFIG"]
        let fromFile = try configFile.map { path throws(ConfigurationError) in
            try Self.readFile(path, readFile)
        }
        said = Set(fromFlags.keys).union(fromEnvironment.keys).union((fromFile ?? [:]).keys)
        for option in ConfigurationOption.all {
            if let values = fromFlags[option.name] {
                try option.apply(&configuration, values, "--\(option.name)")
            } else if let values = fromEnvironment[option.name] {
                try option.apply(&configuration, values, option.variable)
            } else if let values = fromFile?[option.name], let configFile {
                try option.apply(&configuration, values, "\(configFile): \(option.name)")
            }
        }
    }

    private mutating func readFlags(_ arguments: [String]) throws(ConfigurationError) {
        var rest = arguments[...]
        try readWords(&rest)
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                throw ConfigurationError("'\(argument)' is no flag; see --help for what is allowed")
            }
            let parts = argument.dropFirst(2).split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            let name = String(parts[0])
            let inline = parts.count > 1 ? String(parts[1]) : nil
            if try readCommand(name, inline, &rest) { continue }
            guard let option = ConfigurationOption.all.first(where: { $0.name == name }) else {
                throw ConfigurationError("unknown flag --\(name)\(Self.hint(for: name))")
            }
            let value: String
            if option.placeholder == nil {
                value = inline ?? "true"
            } else {
                value = try Self.value(of: name, inline, &rest)
            }
            if !option.repeats, fromFlags[name] != nil {
                throw ConfigurationError("--\(name) is given twice; it is allowed once")
            }
            fromFlags[name, default: []].append(value)
        }
    }

    /// Takes the words before the flags: what to do other than to serve, and the file for it.
    private mutating func readWords(
        _ rest: inout ArraySlice<String>
    ) throws(ConfigurationError) {
        guard let word = rest.first, !word.hasPrefix("--") else { return }
        rest.removeFirst()
        var file: String?
        if let next = rest.first, !next.hasPrefix("--") {
            file = next
            rest.removeFirst()
        }
        guard word == "assert" else {
            command = .history(try HistoryCommand(word, file: file))
            return
        }
        guard let file else { throw ConfigurationError("usage: assert FILE [--url URL]") }
        command = .assert(file: file, url: nil)
    }

    /// Takes the flags that are no options. Answers whether `name` was one.
    private mutating func readCommand(
        _ name: String,
        _ inline: String?,
        _ rest: inout ArraySlice<String>
    ) throws(ConfigurationError) -> Bool {
        switch name {
        case "help": command = .help
        case "version": command = .version
        case "check-config": command = .checkConfig
        case "print-config": command = .printConfig
        case "health":
            var address = inline
            if address == nil, let next = rest.first, !next.hasPrefix("--") {
                address = next
                rest.removeFirst()
            }
            command = .health(address)
        case "url":
            guard case .assert(let file, nil) = command else {
                throw ConfigurationError("--url goes with assert, and once; see --help")
            }
            command = .assert(file: file, url: try Self.value(of: name, inline, &rest))
        case "config":
            configFile = try Self.value(of: name, inline, &rest)
        default:
            return false
        }
        return true
    }

    private static func value(
        of name: String,
        _ inline: String?,
        _ rest: inout ArraySlice<String>
    ) throws(ConfigurationError) -> String {
        guard let value = inline ?? rest.popFirst() else {
            throw ConfigurationError("--\(name) needs a value; see --help for what is allowed")
        }
        return value
    }

    private mutating func readEnvironment(_ environment: [String: String]) -> [String: [String]] {
        var found: [String: [String]] = [:]
        for (variable, value) in environment.sorted(by: { $0.key < $1.key })
        where variable.hasPrefix(Self.environmentPrefix) {
            if variable == Self.environmentPrefix + "CONFIG" { continue }
            guard let option = ConfigurationOption.all.first(where: { $0.variable == variable })
            else {
                unknownVariables.append(variable)
                continue
            }
            found[option.name] =
                option.repeats
                ? value.split(separator: ",").map { String($0.drop(while: { $0 == " " })) }
                : [value]
        }
        return found
    }

    private static func hint(for name: String) -> String {
        let known =
            ConfigurationOption.all.map(\.name)
            + ["config", "help", "version", "check-config", "print-config", "health", "url"]
        guard let nearest = EditDistance.nearest(to: name, in: known) else {
            return "; see --help for those that are allowed"
        }
        return "; did you mean --\(nearest)? (--help lists all)"
    }
}
