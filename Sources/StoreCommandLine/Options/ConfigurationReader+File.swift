import StoreWire

extension ConfigurationReader {
    /// Reads a JSON object whose members are named like the flags.
    ///
    /// A value is a text, a number, `true`/`false`, or for repeatable options an array of texts.
    static func readFile(
        _ path: String,
        _ read: (String) -> [UInt8]?
    ) throws(UsageError) -> [String: [String]] {
        guard let bytes = read(path) else {
            throw UsageError("--config: can't read '\(path)'; allowed is a readable file")
        }
        let document: JSONDocument
        do {
            document = try JSONDocument(
                parsing: bytes,
                limits: JSONLimits(bytesMax: ConfigurationOptions.fileBytesMax)
            )
        } catch {
            throw UsageError("\(path): byte \(error.offset): \(error.message)")
        }
        guard document.root.kind == .object else {
            throw UsageError("\(path): allowed is one JSON object, named like the flags")
        }
        var found: [String: [String]] = [:]
        for (name, value) in document.root.members {
            guard let option = Configuration.options.first(where: { $0.name == name }) else {
                throw UsageError(
                    "\(path): unknown member '\(name)'; allowed are the flags of --help"
                )
            }
            if value.kind == .array, option.repeats {
                found[name] = try value.elements.map { element throws(UsageError) in
                    try text(of: element, name, path)
                }
            } else {
                found[name] = [try text(of: value, name, path)]
            }
        }
        return found
    }

    private static func text(
        of value: JSONNode,
        _ name: String,
        _ path: String
    ) throws(UsageError) -> String {
        if let text = value.stringValue { return text }
        switch value.kind {
        case .number, .true, .false: return value.sourceText
        default:
            throw UsageError(
                "\(path): \(name): allowed is a text, a number, true or false"
            )
        }
    }
}
