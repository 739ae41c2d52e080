/// An object whose members have names and types, with further records in arrays and dictionaries.
struct Record: Codable, Equatable {
    var a: [Record]?
    var b: [String: Record]?
    var c: Double?
    var d: String?
    var e: Int?
    var x: [Bool?]?
}
