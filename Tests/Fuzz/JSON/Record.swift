/// An object whose members have names and types, within itself in each way there is.
struct Record: Codable, Equatable {
    var a: [Record]?
    var b: [String: Record]?
    var c: Double?
    var d: String?
    var e: Int?
    var x: [Bool?]?
}
