import StoreJSON

/// The texts that a source gives for an option.
struct GivenValues {
    var values: [String] = []
    /// The name of the source for errors: a flag, a variable, or a member of the configuration
    /// file.
    let origin: String
    /// The path of the file with the value, if a variable names such a file.
    var valueFile: String?

    /// Sets the option to the values. If the value comes from a file that a variable names, an
    /// error does not contain the value, because the value may be a secret.
    func apply<Configuration>(
        _ option: ConfigurationOption<Configuration>,
        to configuration: inout Configuration
    ) throws(UsageError) {
        do { try option.apply(&configuration, values, origin) } catch {
            // The error of a secret option contains no value.
            guard let valueFile, !option.isSecret else { throw error }
            throw UsageError(
                "\(origin): the text of '\(valueFile)' is not allowed; see --\(option.name) in --help"
            )
        }
    }
}

// The environment

extension ConfigurationReader {
    /// Returns the values of options from the environment, by the names of the options.
    func values(
        in environment: [String: String],
        _ readFile: (String) -> [UInt8]?
    ) throws(UsageError) -> [String: GivenValues] {
        var valuesByName: [String: GivenValues] = [:]
        for option in options {
            guard
                let (text, origin, path) = try Self.value(
                    of: option.variable,
                    in: environment,
                    readFile
                )
            else { continue }
            let values = Self.values(of: text, option)
            valuesByName[option.name] = GivenValues(values: values, origin: origin, valueFile: path)
        }
        return valuesByName
    }

    /// Returns the variables that have the prefix of options, but name neither an option nor a
    /// setting of a command.
    func unknownVariables(in environment: [String: String]) -> [String] {
        let prefix = ConfigurationOptions.environmentPrefix
        let variables = options.map(\.variable) + [Credential.variable]
        let known = Set(variables + variables.map { $0 + "_FILE" } + [prefix + "CONFIG"])
        return environment.keys.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted()
    }

    /// Returns the value of a variable, or the text of the file whose path is in the variable with
    /// the suffix `_FILE`. Containers pass secrets by such files. Returns `nil` if neither variable
    /// is present. Throws if both variables are present, or if the file can't be read.
    static func value(
        of variable: String,
        in environment: [String: String],
        _ readFile: (String) -> [UInt8]?
    ) throws(UsageError) -> (text: String, origin: String, path: String?)? {
        let fileVariable = variable + "_FILE"
        guard let path = environment[fileVariable] else {
            return environment[variable].map { ($0, variable, nil) }
        }
        guard environment[variable] == nil else {
            throw UsageError("\(variable) and \(fileVariable) are both set; give one")
        }
        return (try value(inFile: path, fileVariable, readFile), fileVariable, path)
    }

    private static func values(
        of text: String,
        _ option: ConfigurationOption<Configuration>
    ) -> [String] {
        guard option.isRepeatable else { return [text] }
        return text.split(separator: ",").map { String($0.drop(while: { $0 == " " })) }
    }

    /// Returns the content of a file, without the line break at its end.
    static func value(
        inFile path: String,
        _ variable: String,
        _ readFile: (String) -> [UInt8]?
    ) throws(UsageError) -> String {
        guard let bytes = readFile(path), bytes.count <= ConfigurationOptions.fileBytesMax,
            var text = String(validating: bytes, as: UTF8.self)
        else {
            throw UsageError(
                "\(variable): can't read '\(path)'; allowed is a readable file of text, of at most "
                    + "\(ConfigurationOptions.fileBytesMax) bytes"
            )
        }
        if text.unicodeScalars.last == "\n" { text.unicodeScalars.removeLast() }
        if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
        return text
    }

    // The file

    /// Reads a JSON object whose members are named like the flags. A value is a text, a number,
    /// `true` or `false`. The value of a repeatable option may be an array of such values.
    func readConfigFile(
        _ path: String,
        _ read: (String) -> [UInt8]?
    ) throws(UsageError) -> [String: GivenValues] {
        guard let bytes = read(path) else {
            throw UsageError("--config: can't read '\(path)'; allowed is a readable file")
        }
        let document: JSONDocument
        do {
            document = try JSONDocument(
                parsing: bytes,
                limits: JSONLimits(bytesMax: ConfigurationOptions.fileBytesMax)
            )
        } catch { throw UsageError("\(path): byte \(error.offset): \(error.message)") }
        guard document.root.kind == .object else {
            throw UsageError(
                "\(path): expected one JSON object whose members are named like the flags"
            )
        }
        var valuesByName: [String: GivenValues] = [:]
        for (name, value) in document.root.members {
            guard let option = options.first(where: { $0.name == name }) else {
                throw UsageError(
                    "\(path): unknown member '\(name)'; allowed are the flags of --help"
                )
            }
            let isList = value.kind == .array && option.isRepeatable
            let values = try (isList ? Array(value.elements) : [value]).map {
                element throws(UsageError) in
                try Self.text(of: element, name, path)
            }
            valuesByName[name] = GivenValues(values: values, origin: "\(path): \(name)")
        }
        return valuesByName
    }

    private static func text(
        of value: JSONNode,
        _ name: String,
        _ path: String
    ) throws(UsageError) -> String {
        if let text = value.stringValue { return text }
        switch value.kind {
        case .number, .true, .false: return value.sourceText
        default: throw UsageError("\(path): \(name): expected a text, a number, true or false")
        }
    }
}
