import StoreWire

/// A policy file that can't be used, with everything that is wrong in it.
package struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// How many faults are listed; the rest of the file is not read then.
    package static let faultsMax = 100

    /// At least one, in the order of the file.
    package let faults: [PolicyFault]

    /// A line for each fault.
    package var description: String { lines(of: nil).joined(separator: "\n") }

    /// A line for each fault, which begins with the file's name.
    package func lines(of file: String?) -> [String] {
        let start = file.map { $0 + ": " } ?? ""
        let lines = faults.map { start + $0.description }
        guard faults.count == Self.faultsMax else { return lines }
        return lines + [start + "there may be more; these are the first \(Self.faultsMax)"]
    }
}

/// One thing that is wrong in a policy file.
package struct PolicyFault: Sendable, Equatable, CustomStringConvertible {
    /// Where in the file (RFC 6901); empty for the file as a whole.
    package let pointer: String
    /// What is wrong, and what is allowed.
    package let message: String
    /// The name that was probably meant.
    package let nearest: String?

    /// The line for people, without the file's name.
    package var description: String {
        let hint = nearest.map { "; did you mean \(JSONText.quoted($0))?" } ?? ""
        let place = pointer.isEmpty ? "" : Problem.excerpt(pointer) + ": "
        return place + message + hint
    }
}
