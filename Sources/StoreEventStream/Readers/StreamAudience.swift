/// Returns true if a reader of this name gets a frame; `nil` stands for a reader without a name.
package typealias StreamAudience = @Sendable (String?) -> Bool
