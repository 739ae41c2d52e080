/// What a JSON value can be.
package enum JSONKind: UInt8, Sendable {
    case object, array, string, number, `true`, `false`, null
}
