/// Bridge: lines of parts that have no ``Logger`` of their own yet. They go to standard error,
/// whatever the program has given.
package enum Log {
    package static func warning(_ message: String) { Logger.standardError.warning(message) }
    package static func error(_ message: String) { Logger.standardError.error(message) }
}
