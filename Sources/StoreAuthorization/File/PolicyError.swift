import StoreWire

/// The error for an invalid policy file, with all of its faults.
package struct PolicyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The most faults in the list. At this number, the reader stops.
    package static let faultsMax = 100

    /// The faults in the order of the file; at least one fault.
    package let faults: [PolicyFault]

    /// A line for each fault.
    package var description: String { lines(of: nil).joined(separator: "\n") }

    /// Returns a line for each fault, which begins with the file's name.
    package func lines(of file: String?) -> [String] {
        let start = file.map { $0 + ": " } ?? ""
        let lines = faults.map { start + $0.description }
        guard faults.count == Self.faultsMax else { return lines }
        return lines + [start + "there may be more; these are the first \(Self.faultsMax)"]
    }
}

/// A fault of a policy file.
package struct PolicyFault: Sendable, Equatable, CustomStringConvertible {
    /// The place in the file (RFC 6901); empty for the file as a whole.
    package let pointer: String
    /// The fault, and the allowed content.
    package let message: String
    /// The name that was probably meant.
    package let nearest: String?

    /// The line for the operator, without the file's name.
    package var description: String {
        let hint = nearest.map { "; did you mean \(JSONText.quoted($0))?" } ?? ""
        let place = pointer.isEmpty ? "" : Problem.excerpt(pointer) + ": "
        return place + message + hint
    }
}
