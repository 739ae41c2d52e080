/// A member of a problem that RFC 9457 does not define, such as `pointer` or `oldest`.
package struct ProblemMember: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case string(String)
        case integer(UInt64)
        case strings([String])
    }

    package let name: String
    package let value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}
