import StoreTelemetry

/// A setting that SIGHUP reads again and applies as a whole, or not at all. No stream ends for it.
protocol Reloadable: Sendable {
    /// The name of the setting in the log.
    var subject: String { get }

    /// Reads the setting again, and applies it.
    ///
    /// - Parameter configuration: read anew from flags, environment and file.
    /// - Returns: the change, for the log; `nil` if nothing changed.
    /// - Throws: an error whose description is for the operator. The old setting stays in force
    ///   then.
    func reload(_ configuration: ServerConfiguration) throws -> String?
}

extension Reloadable {
    /// Reads the setting again and applies it, with a line in the log about the outcome.
    func reload(_ configuration: ServerConfiguration, _ logger: Logger) {
        let field = LogField("subject", .name(subject))
        do {
            guard let change = try reload(configuration) else { return }
            logger.notice(.configurationReloaded, "\(subject): \(change)", field)
        } catch {
            logger.error(.configurationRefused, "\(subject) stays as it is: \(error)", field)
        }
    }
}

/// The level of the log.
struct ReloadedLogLevel: Reloadable {
    let logger: Logger

    var subject: String { "log-level" }

    func reload(_ configuration: ServerConfiguration) -> String? {
        let level = configuration.logLevel.written
        guard logger.level != level else { return nil }
        logger.write(from: level)
        return "lines from \(level.rawValue) on are written"
    }
}

/// The file of analytics, which may have been rotated. The thread that writes the file opens it
/// again, and logs a failure itself.
struct ReloadedAnalytics: Reloadable {
    let writer: AnalyticsWriter

    var subject: String { "analytics" }

    func reload(_ configuration: ServerConfiguration) -> String? {
        writer.reopen()
        return nil
    }
}
