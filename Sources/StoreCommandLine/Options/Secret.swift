/// A text that no output of a program contains, such as a password or a key of another service.
///
/// A secret is not `Codable`, so no state, action or record contains a secret. The description is
/// the same for all secrets.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself.
    public let text: String

    /// Makes a secret; the empty text stands for an absent secret.
    public init(_ text: String = "") { self.text = text }

    /// A text in place of the secret.
    public var description: String { "a secret" }
    /// A text in place of the secret.
    public var debugDescription: String { description }
    /// A mirror without the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
