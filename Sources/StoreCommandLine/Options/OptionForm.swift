/// The form of an option's value: the allowed texts, the function that reads a text, and the
/// function that shows a value.
package struct OptionForm<Value: Equatable & Sendable>: Sendable {
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

    package init(
        _ placeholder: String?,
        helpSuffix: String = "",
        describeAllowed: @escaping @Sendable (String) -> String,
        read: @escaping @Sendable (String) -> Value?,
        show: @escaping @Sendable (Value) -> String? = { "\($0)" }
    ) {
        self.placeholder = placeholder
        self.helpSuffix = helpSuffix
        self.describeAllowed = describeAllowed
        self.read = read
        self.format = show
    }

    func value(_ text: String, of origin: String) throws(UsageError) -> Value {
        guard let value = read(text) else {
            throw .disallowedValue(text, of: origin, allowed: describeAllowed(text))
        }
        return value
    }

    /// Refuses a value whose text has another meaning: ``value(_:of:)`` reads that text as a
    /// different value.
    func checkRoundTrip(_ value: Value, of origin: String) throws(UsageError) {
        guard let text = format(value), try self.value(text, of: origin) != value else { return }
        throw UsageError("\(origin): '\(text)' means no value in a flag; in a program, use nil")
    }

    /// Makes the form of an optional value. The text `none` stands for `nil`. If the argument
    /// `none` is `nil`, an absent value has no text.
    package static func optional<Wrapped>(
        _ form: OptionForm<Wrapped>,
        none: String? = nil
    ) -> Self where Value == Wrapped? {
        Self(
            form.placeholder,
            helpSuffix: form.helpSuffix,
            describeAllowed: form.describeAllowed,
            read: { $0 == none ? .some(nil) : form.read($0).map { .some($0) } },
            show: { $0.map(form.format) ?? none }
        )
    }
}

extension OptionForm<Bool> {
    /// The form of a switch, which has no value on the command line. The texts `true` and `1` mean
    /// true, `false` and `0` mean false.
    package static var toggle: Self {
        let values = ["true": true, "1": true, "false": false, "0": false]
        return Self(nil, describeAllowed: { _ in "true or false" }, read: { values[$0] })
    }
}

extension OptionForm<Int> {
    package static func number(_ range: ClosedRange<Int>, _ unit: String) -> Self {
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
    package static func seconds(_ range: ClosedRange<Int>) -> Self {
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
    package static func text(
        _ placeholder: String,
        _ allowed: String = "some text",
        if isAllowed: @escaping @Sendable (String) -> Bool = { !$0.isEmpty }
    ) -> Self {
        Self(placeholder, describeAllowed: { _ in allowed }, read: { isAllowed($0) ? $0 : nil })
    }

    package static func text(_ placeholder: String, bytes: ClosedRange<Int>) -> Self {
        text(placeholder, "\(bytes.lowerBound) to \(bytes.upperBound) bytes of text") {
            bytes ~= $0.utf8.count
        }
    }
}

extension OptionForm<String?> {
    package static var file: Self { .optional(.text("FILE", "a file's path")) }
}

extension OptionForm where Value: RawRepresentable<String> & CaseIterable {
    /// Makes the form of an enum, whose raw values are the allowed texts.
    package static func choice(_ placeholder: String) -> Self {
        Self(
            placeholder,
            describeAllowed: { _ in Value.allCases.map(\.rawValue).joined(separator: " or ") },
            read: { Value(rawValue: $0) },
            show: { $0.rawValue }
        )
    }
}
