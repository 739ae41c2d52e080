/// A version and the chain's hash at its record.
struct ChainPosition: Equatable, Sendable {
    var version: UInt64
    var hash: ChainHash
}
