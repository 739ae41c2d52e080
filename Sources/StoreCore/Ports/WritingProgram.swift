/// A program that writes history, as ``Journal/register(_:)`` keeps it: the wire names of its
/// actions and the form of each.
public struct WritingProgram: Sendable, Equatable {
    /// Identifies the forms: their SHA-256 in hexadecimal digits.
    public let digest: String
    /// The names and forms, as JSON.
    public let forms: [UInt8]

    /// Describes a program.
    public init(digest: String, forms: [UInt8]) {
        self.digest = digest
        self.forms = forms
    }
}

/// A program that a journal keeps, with the number by which records refer to it.
public struct KeptProgram: Sendable, Equatable {
    /// What ``Record/program`` has: 1 at least.
    public let number: UInt32
    /// The program's names and forms.
    public let program: WritingProgram

    /// The most programs that a journal keeps: 256. When one more registers, the program whose
    /// start lies back farthest is removed. Its records stay.
    public static let countMax = 256

    /// Describes a program that is kept.
    public init(number: UInt32, program: WritingProgram) {
        self.number = number
        self.program = program
    }
}
