import StoreTelemetry

/// What is put into force again on SIGHUP: as a whole, or not at all. No stream ends for it.
protocol Reloadable: Sendable {
    /// What the line in the log calls it.
    var subject: String { get }

    /// Reads it again, and puts it into force.
    ///
    /// - Parameter configuration: read anew from flags, environment and file.
    /// - Returns: what has changed, for the log; `nil` where nothing did.
    /// - Throws: an error whose description is for the operator, and then what was in force stays
    ///   so.
    func reload(_ configuration: ServerConfiguration) throws -> String?
}

extension Reloadable {
    /// Reloads, with a line in the log about the outcome.
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

/// Which lines the log has.
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

/// The file of analytics, which may have been rotated. What opens it is the thread that writes it,
/// which has a line of its own where that fails.
struct ReloadedAnalytics: Reloadable {
    let writer: AnalyticsWriter

    var subject: String { "analytics" }

    func reload(_ configuration: ServerConfiguration) -> String? {
        writer.reopen()
        return nil
    }
}
