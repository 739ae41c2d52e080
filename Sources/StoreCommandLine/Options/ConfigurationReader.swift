import StoreWire

/// Reads the command, and reads the configuration from flags, environment and file. Flags take
/// precedence over the environment, and the environment over the file.
package struct ConfigurationReader<Configuration: CommandLineConfiguration> {
    package private(set) var command = ServerCommand.serve
    package private(set) var configuration: Configuration
    /// The variables that have the prefix of options, but name no option. Such variables are not an
    /// error: a cluster sets variables of its own, such as STORE_SERVER_PORT for a service called
    /// store-server.
    package private(set) var unknownVariables: [String] = []

    /// The names of the options that a flag, a variable or the file sets.
    package private(set) var givenNames: Set<String> = []

    /// The credential that a command sends to a server; `nil` if there is no credential.
    package private(set) var credential: Credential?
    /// The credentials of a script's steps, by their principals.
    package private(set) var senderCredentialsByPrincipal: [String: Credential] = [:]

    let options: [ConfigurationOption<Configuration>]
    private var flagValues: [String: GivenValues] = [:]
    /// The paths of the files with the values of secret options, by the names of the options.
    private var secretFiles: [String: String] = [:]
    private var tokenFile: String?
    /// The files with the credentials of ``senderCredentialsByPrincipal``, from `--as`.
    private var senderCredentialFiles: [(principal: String, path: String)] = []
    private var configFile: String?

    /// Reads the whole configuration. `arguments` is the command line without the program's name.
    /// The variables of options begin with ``ConfigurationOptions/environmentPrefix``. `readFile`
    /// returns the bytes of a file, or `nil` if the file can't be read. `options` has at least the
    /// options of the configuration, and `defaults` has the values of options that are not given.
    package init(
        arguments: [String],
        environment: [String: String],
        options: [ConfigurationOption<Configuration>] = Configuration.options,
        defaults: Configuration = .defaults,
        readFile: (String) -> [UInt8]?
    ) throws(UsageError) {
        self.options = options
        configuration = defaults
        if let topic = try HelpTopic(asking: arguments) {
            command = .help(topic)
        } else {
            try readFlags(arguments)
        }
        // These commands need no configuration, so an error in the configuration must not stop
        // them.
        switch command {
        case .help, .version: return
        default: break
        }
        if command.sendsCredential { credential = try readCredential(environment, readFile) }
        for (principal, path) in senderCredentialFiles {
            let origin = "--as \(principal)"
            senderCredentialsByPrincipal[principal] = try Credential(
                Self.value(inFile: path, origin, readFile),
                of: origin
            )
        }
        if case .token(let token) = command { try token.checkComplete() }
        for (name, path) in secretFiles {
            let origin = "--\(name)-file"
            let text = try Self.value(inFile: path, origin, readFile)
            flagValues[name] = GivenValues(values: [text], origin: origin, valueFile: path)
        }
        let fromEnvironment = try values(in: environment, readFile)
        unknownVariables = unknownVariables(in: environment)
        configFile = configFile ?? environment[ConfigurationOptions.environmentPrefix + "CONFIG"]
        let fromFile = try configFile.map { path throws(UsageError) in
            try readConfigFile(path, readFile)
        }
        let found = (fromFile ?? [:]).merging(fromEnvironment) { $1 }.merging(flagValues) { $1 }
        givenNames = Set(found.keys)
        for option in options {
            try found[option.name]?.apply(option, to: &configuration)
        }
    }

    private mutating func readFlags(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        try readWords(&rest)
        while let argument = rest.popFirst() {
            if argument == "-v" || argument == "--version" {
                command = .version
                return
            }
            if HelpTopic.flags.contains(argument) {
                let word = arguments.first.flatMap { $0.hasPrefix("-") ? nil : $0 }
                command = .help(try HelpTopic(word))
                return
            }
            guard argument.hasPrefix("--") else {
                throw UsageError("'\(argument)' is not a flag; see --help for what is allowed")
            }
            let parts = argument.dropFirst(2)
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let inline = parts.count > 1 ? String(parts[1]) : nil
            if try readCommandFlag(name, inline, &rest) { continue }
            if let secret = options.first(where: { $0.isSecret && $0.flag == "--\(name)" }) {
                let path = try Self.takeValue(of: name, inline, &rest)
                let isFirst = secretFiles.updateValue(path, forKey: secret.name) == nil
                guard isFirst else { throw .givenTwice(name) }
                continue
            }
            guard let option = option(name) else {
                throw UsageError("unknown flag --\(name)\(hint(for: name))")
            }
            guard !option.isSecret else {
                throw UsageError(
                    "--\(name): other users of the machine can read the flags of a process; give "
                        + "\(option.flag) with the path of a file"
                )
            }
            let isSwitch = option.placeholder == nil
            let value = try isSwitch ? inline ?? "true" : Self.takeValue(of: name, inline, &rest)
            if !option.isRepeatable, flagValues[name] != nil { throw .givenTwice(name) }
            flagValues[name, default: GivenValues(origin: "--\(name)")].values.append(value)
        }
        if case .policy(let policy) = command { try policy.check() }
        guard tokenFile == nil || command.sendsCredential else {
            throw UsageError(
                "--token-file is allowed only with status and with assert --url; see --help"
            )
        }
        if case .assert(_, .some) = command { return }
        guard senderCredentialFiles.isEmpty else {
            throw UsageError("--as is allowed only with assert --url; see --help")
        }
    }

    /// Returns the credential of `--token-file`, or else the credential of the environment.
    private func readCredential(
        _ environment: [String: String],
        _ readFile: (String) -> [UInt8]?
    ) throws(UsageError) -> Credential? {
        if let tokenFile {
            let text = try Self.value(inFile: tokenFile, "--token-file", readFile)
            return try Credential(text, of: "--token-file \(tokenFile)")
        }
        guard let found = try Self.value(of: Credential.variable, in: environment, readFile) else {
            return nil
        }
        return try Credential(found.text, of: found.origin + (found.path.map { " \($0)" } ?? ""))
    }

    /// Reads the words before the flags: the command with its arguments.
    private mutating func readWords(_ rest: inout ArraySlice<String>) throws(UsageError) {
        guard let word = rest.first, !word.hasPrefix("-") else { return }
        rest.removeFirst()
        switch word {
        case "token":
            let words = rest.prefix { !$0.hasPrefix("--") }
            rest = rest.dropFirst(words.count)
            command = .token(try TokenCommand(Array(words)))
        case "policy":
            let question = Self.popWord(&rest)
            command = .policy(try PolicyCommand(question, file: Self.popWord(&rest)))
        case "status": command = .status(Self.popWord(&rest), isWatched: false)
        case "assert":
            guard let file = Self.popWord(&rest) else {
                throw UsageError("usage: assert FILE [--url URL]")
            }
            command = .assert(file: file, url: nil)
        default: command = .history(try HistoryCommand(word, file: Self.popWord(&rest)))
        }
    }

    /// Removes the next argument from `rest`, and returns it. Returns `nil` if the next argument is
    /// a flag, or if there is none.
    private static func popWord(_ rest: inout ArraySlice<String>) -> String? {
        guard let next = rest.first, !next.hasPrefix("--") else { return nil }
        return rest.popFirst()
    }

    /// Handles a flag that is not an option. Returns false if `name` is not the name of such a
    /// flag.
    private mutating func readCommandFlag(
        _ name: String,
        _ inline: String?,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> Bool {
        if case .policy(var policy) = command, let flag = PolicyCommand.Flag(rawValue: name) {
            try policy.set(flag, try Self.takeValue(of: name, inline, &rest))
            command = .policy(policy)
            return true
        }
        switch name {
        case "as":
            let value = try Self.takeValue(of: name, inline, &rest)
            let parts = value.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, parts[0].contains("/") else {
                throw .disallowedValue(
                    value,
                    of: "--as",
                    allowed: "ROLE/NAME=FILE, such as author/u1=u1.token"
                )
            }
            if senderCredentialFiles.contains(where: { $0.principal == parts[0] }) {
                throw .givenTwice("as \(parts[0])")
            }
            senderCredentialFiles.append((parts[0], parts[1]))
        case "token-file":
            guard tokenFile == nil else { throw .givenTwice(name) }
            tokenFile = try Self.takeValue(of: name, inline, &rest)
        case "check-config":
            try Self.refuseValue(of: name, inline)
            command = .checkConfig
        case "print-config":
            try Self.refuseValue(of: name, inline)
            command = .printConfig
        case "health": command = .health(inline ?? Self.popWord(&rest))
        case "url":
            guard case .assert(let file, nil) = command else {
                throw UsageError("--url is allowed once, and only with assert; see --help")
            }
            command = .assert(file: file, url: try Self.takeValue(of: name, inline, &rest))
        case "store":
            if case .policy(var policy) = command, policy.store == nil {
                policy.store = try Self.takeValue(of: name, inline, &rest)
                command = .policy(policy)
                return true
            }
            guard case .history(var history) = command, history.store == nil else {
                throw UsageError(
                    "--store is allowed once, and only with a command about a history or a policy; "
                        + "see --help"
                )
            }
            history.store = try Self.takeValue(of: name, inline, &rest)
            command = .history(history)
        case "if-new":
            guard case .history(var history) = command, history.verb == .verify,
                !history.skipsVerifiedHistory, inline == nil
            else { throw UsageError("--if-new is allowed once, and only with verify; see --help") }
            history.skipsVerifiedHistory = true
            command = .history(history)
        case let flag where TokenCommand.flags.contains(flag):
            guard case .token(var token) = command else {
                throw UsageError("--\(flag) is allowed only with token; see --help")
            }
            try token.set(flag, try Self.takeValue(of: flag, inline, &rest))
            command = .token(token)
        case "watch":
            guard case .status(let url, false) = command, inline == nil else {
                throw UsageError("--watch is allowed once, and only with status; see --help")
            }
            command = .status(url, isWatched: true)
        case "config":
            guard configFile == nil else { throw .givenTwice(name) }
            configFile = try Self.takeValue(of: name, inline, &rest)
        default:
            return false
        }
        return true
    }

    private static func takeValue(
        of name: String,
        _ inline: String?,
        _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        guard let value = inline ?? rest.popFirst() else {
            throw UsageError("--\(name) needs a value; see --help for what is allowed")
        }
        return value
    }

    private static func refuseValue(of name: String, _ inline: String?) throws(UsageError) {
        guard inline == nil else { throw UsageError("--\(name) takes no value; see --help") }
    }

    private func option(_ name: String) -> ConfigurationOption<Configuration>? {
        options.first { $0.name == name }
    }

    private func hint(for name: String) -> String {
        let known = options.map { String($0.flag.dropFirst(2)) } + ConfigurationOptions.commandFlags
        guard let nearest = EditDistance.nearest(to: name, in: known) else {
            return "; --help lists all"
        }
        return "; did you mean --\(nearest)? (--help lists all)"
    }
}
