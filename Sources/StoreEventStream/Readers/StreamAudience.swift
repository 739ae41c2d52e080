/// A filter of readers by their names, which returns true if the reader gets a frame. A `nil` name
/// stands for a reader without a name.
package typealias StreamAudience = @Sendable (String?) -> Bool
