/// A key or index of a JSON document, where `Codable` asks for a key that no type declares.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    static let `super` = JSONKey(stringValue: "super")

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
