/// The content coding of a stream's payload (RFC 9110 §8.4), which comes before the framing in
/// chunks.
package enum StreamCoding: String, Sendable, CaseIterable {
    /// The payload as it is.
    case identity
}
