/// The values that a probed type gets instead of input.
///
/// The first value of each kind suits almost every type. The others suit types that validate their
/// input: a text that is not empty, a number except 0, a UUID, a date, an address.
enum SchemaDummies {
    static let strings = [
        "", "a", "0", "00000000-0000-0000-0000-000000000000", "2001-01-01T00:00:00Z",
        "https://example.org/", "a@example.org", "1.0",
    ]
    private static let integers = [0, 1, 2, 10, 100, 7, 3, 5]
    private static let doubles = [0, 1, 0.5, 10, 100, 2, 3, 5]

    /// Returns a dummy of a type of the standard library, or `nil` for any other type. Any `number`
    /// is valid.
    static func value<Value>(of type: Value.Type, _ number: Int) -> Value? {
        guard let built = type as? any SchemaBuiltIn.Type else { return nil }
        return built.dummy(number) as? Value
    }

    static func string(_ number: Int) -> String { strings[number % strings.count] }
    static func integer(_ number: Int) -> Int { integers[number % integers.count] }
    static func double(_ number: Int) -> Double { doubles[number % doubles.count] }
}
