/// A program that writes history, as ``Journal/register(_:)`` stores it: the wire names of its
/// actions, and the form of each action.
public struct WritingProgram: Sendable, Equatable {
    /// The id of the forms: their SHA-256 in hexadecimal digits.
    public let digest: String
    /// The names and forms, as JSON.
    public let forms: [UInt8]

    /// Describes a program.
    public init(digest: String, forms: [UInt8]) {
        self.digest = digest
        self.forms = forms
    }
}

/// A program in a journal, with the number that its records have.
public struct RegisteredProgram: Sendable, Equatable {
    /// The number in ``Record/program``; at least 1.
    public let number: UInt32
    /// The program's names and forms.
    public let program: WritingProgram

    /// The most programs in a journal: 256. A further registration removes the program with the
    /// oldest last registration. Its records stay.
    public static let countMax = 256

    /// Describes a stored program.
    public init(number: UInt32, program: WritingProgram) {
        self.number = number
        self.program = program
    }
}
