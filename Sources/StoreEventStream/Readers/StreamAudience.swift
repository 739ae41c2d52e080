/// Whether a reader of this name, or of none, is sent a frame.
package typealias StreamAudience = @Sendable (String?) -> Bool
