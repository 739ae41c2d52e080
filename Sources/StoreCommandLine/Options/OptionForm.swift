import StoreWire

/// The form of an option's value: the allowed texts, the function that reads a text, and the
/// function that shows a value.
public struct OptionForm<Value: Equatable & Sendable>: Sendable {
    /// The name of the value in `--help`; `nil` for a switch, which has no value.
    let placeholder: String?
    /// The end of the option's description in `--help`, such as the unit and the bounds.
    let helpSuffix: String
    /// Returns a description of the allowed texts, for an error. The argument is the text that is
    /// not allowed.
    let describeAllowed: @Sendable (String) -> String
    /// Returns the value of a text; `nil` if the text is not allowed.
    let read: @Sendable (String) -> Value?
    /// Returns the text of a value; `nil` for a value without a text.
    let format: @Sendable (Value) -> String?
    /// True if no output of the program may contain a value.
    let isSecret: Bool

    /// Makes a form that the library does not have.
    ///
    /// - Parameters:
    ///   - placeholder: the name of the value in `--help`, in capitals.
    ///   - allowed: the description of the allowed texts, for errors: `a color, such as #0a7`.
    ///   - read: returns the value of a text; `nil` if the text is not allowed.
    ///   - show: returns a text of the value. `read` must turn this text into an equal value.
    public init(
        _ placeholder: String,
        allowed: String,
        read: @escaping @Sendable (_ text: String) -> Value?,
        show: @escaping @Sendable (_ value: Value) -> String
    ) {
        self.init(placeholder, describeAllowed: { _ in allowed }, read: read, show: show)
    }

    package init(
        _ placeholder: String?,
        helpSuffix: String = "",
        describeAllowed: @escaping @Sendable (String) -> String,
        read: @escaping @Sendable (String) -> Value?,
        show: @escaping @Sendable (Value) -> String? = { "\($0)" },
        isSecret: Bool = false
    ) {
        self.placeholder = placeholder
        self.helpSuffix = helpSuffix
        self.describeAllowed = describeAllowed
        self.read = read
        self.format = show
        self.isSecret = isSecret
    }

    func value(_ text: String, of origin: String) throws(UsageError) -> Value {
        guard let value = read(text) else {
            if isSecret {
                throw UsageError(
                    "\(origin): this secret is not allowed; allowed is \(describeAllowed(text))"
                )
            }
            throw .disallowedValue(text, of: origin, allowed: describeAllowed(text))
        }
        return value
    }

    /// Refuses a value whose text has another meaning: ``value(_:of:)`` reads that text as a
    /// different value.
    func checkRoundTrip(_ value: Value, of origin: String) throws(UsageError) {
        guard let text = format(value), try self.value(text, of: origin) != value else { return }
        throw UsageError(
            "\(origin): the text '\(text)' stands for an absent value; in a program, use nil"
        )
    }

    /// Makes the form of an optional value. The text `none` stands for `nil`. If the argument
    /// `none` is `nil`, an absent value has no text.
    public static func optional<Wrapped>(
        _ form: OptionForm<Wrapped>,
        none: String? = nil
    ) -> Self where Value == Wrapped? {
        Self(
            form.placeholder,
            helpSuffix: form.helpSuffix,
            describeAllowed: form.describeAllowed,
            read: { $0 == none ? .some(nil) : form.read($0).map { .some($0) } },
            show: { $0.map(form.format) ?? none },
            isSecret: form.isSecret
        )
    }
}

extension OptionForm<Bool> {
    /// The form of a switch, which has no value on the command line. The texts `true` and `1` mean
    /// true, `false` and `0` mean false.
    public static var toggle: Self {
        let values = ["true": true, "1": true, "false": false, "0": false]
        return Self(nil, describeAllowed: { _ in "true or false" }, read: { values[$0] })
    }
}

extension OptionForm<Int> {
    /// Makes the form of a whole number within bounds. `unit` is a noun in the plural: `attempts`.
    public static func number(_ range: ClosedRange<Int>, _ unit: String) -> Self {
        let (least, most) = (range.lowerBound, range.upperBound)
        return Self(
            "N",
            helpSuffix: ", in \(unit) (\(least)...\(most))",
            describeAllowed: { _ in "a whole number of \(unit) from \(least) to \(most)" },
            read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }
        )
    }
}

extension OptionForm<Duration> {
    /// Makes the form of a duration in whole seconds within bounds.
    public static func seconds(_ range: ClosedRange<Int>) -> Self {
        let number = OptionForm<Int>.number(range, "seconds")
        return Self(
            number.placeholder,
            helpSuffix: number.helpSuffix,
            describeAllowed: number.describeAllowed,
            read: { number.read($0).map { .seconds($0) } },
            show: {
                let seconds = $0.components.seconds
                return $0 == .seconds(seconds) ? "\(seconds)" : "\($0)"
            }
        )
    }
}

extension OptionForm<String> {
    /// Makes the form of a text. `allowed` describes the texts that `isAllowed` accepts.
    public static func text(
        _ placeholder: String,
        _ allowed: String = "some text",
        if isAllowed: @escaping @Sendable (String) -> Bool = { !$0.isEmpty }
    ) -> Self {
        Self(placeholder, describeAllowed: { _ in allowed }, read: { isAllowed($0) ? $0 : nil })
    }

    /// Makes the form of a text within bounds of its length.
    public static func text(_ placeholder: String, bytes: ClosedRange<Int>) -> Self {
        text(placeholder, "\(bytes.lowerBound) to \(bytes.upperBound) bytes of text") {
            bytes ~= $0.utf8.count
        }
    }
}

extension OptionForm<String> {
    /// The form of the path of a file or a directory. The start does not open the file.
    public static var path: Self { .text("PATH", "a path") { !$0.isEmpty && !$0.contains("\0") } }

    /// The form of an `http` or `https` URL with a host, without user and fragment, of at most
    /// 2,048 bytes.
    public static var url: Self {
        .text(
            "URL",
            "an http or https URL without user and fragment, such as https://example.com/x",
            if: isHTTPURL
        )
    }

    @Sendable private static func isHTTPURL(_ text: String) -> Bool {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()),
            text.utf8.count <= 2_048, URIReference.isValid(text), !text.contains("#")
        else { return false }
        let authority = parts[1].prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return false }
        // The part after the brackets of an IPv6 address has the port.
        let end = authority.lastIndex(of: "]") ?? authority.startIndex
        guard let colon = authority[end...].lastIndex(of: ":") else { return !authority.isEmpty }
        let port = authority[authority.index(after: colon)...]
        return colon > authority.startIndex && (UInt16(port) ?? 0) > 0
    }
}

extension OptionForm<Secret> {
    /// Makes the form of a secret within bounds of its length in UTF-8.
    ///
    /// No output of the program contains the secret. Other users of the machine can read the flags
    /// of a process. So the flag of the option has `-file` at its end, and takes a file's path.
    public static func secret(bytes: ClosedRange<Int>) -> Self {
        let range = "\(bytes.lowerBound) to \(bytes.upperBound) bytes of text"
        return Self(
            "FILE",
            helpSuffix: ", in a file, \(range)",
            describeAllowed: {
                range + ($0.isEmpty ? "" : ", and this secret has \($0.utf8.count)")
            },
            read: { bytes ~= $0.utf8.count ? Secret($0) : nil },
            show: { $0.text },
            isSecret: true
        )
    }
}

extension OptionForm<String?> {
    package static var file: Self { .optional(.text("FILE", "a file's path")) }
}

extension OptionForm where Value: RawRepresentable<String> & CaseIterable {
    /// Makes the form of an enum, whose raw values are the allowed texts.
    public static func choice(_ placeholder: String) -> Self {
        Self(
            placeholder,
            describeAllowed: { _ in Value.allCases.map(\.rawValue).joined(separator: " or ") },
            read: { Value(rawValue: $0) },
            show: { $0.rawValue }
        )
    }
}
