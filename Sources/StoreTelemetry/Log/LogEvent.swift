/// The subject of a log line: a name by which programs can select lines. The name stays the same
/// when the wording of the message changes.
package enum LogEvent: String, Sendable, CaseIterable {
    case serverPreparing = "server.preparing"
    case serverListening = "server.listening"
    case serverStopping = "server.stopping"
    case serverStopped = "server.stopped"
    case storeUnavailable = "store.unavailable"

    case configurationUnknown = "configuration.unknown"
    case configurationFitted = "configuration.fitted"
    case configurationExposed = "configuration.exposed"
    case configurationUnused = "configuration.unused"
    case configurationReloaded = "configuration.reloaded"
    case configurationRefused = "configuration.refused"

    case credentialRefused = "credential.refused"
    case requestEnded = "request.ended"
    case streamEnded = "stream.ended"
    case httpNoted = "http.noted"

    case actionApplied = "action.applied"
    case actionRefused = "action.refused"
    case actionDropped = "action.dropped"
    case payloadRefused = "payload.refused"
    case reducerFailed = "reducer.failed"
    case reducerSlow = "reducer.slow"
    case effectFailed = "effect.failed"
    case effectInterrupted = "effect.interrupted"
    case programNoted = "program.noted"

    case journalFailed = "journal.failed"
    case journalNoted = "journal.noted"
    case journalUnreadable = "journal.unreadable"
    case historyNoted = "history.noted"
    case snapshotFailed = "snapshot.failed"
    case replayFailed = "replay.failed"
    case replayProgress = "replay.progress"
    case sharedFailed = "shared.failed"
    case sharedKept = "shared.kept"

    case stateUnencodable = "state.unencodable"
    case viewFailed = "view.failed"
    case commandUnsent = "command.unsent"

    case analyticsFailed = "analytics.failed"
    case analyticsLost = "analytics.lost"
    case analyticsWritten = "analytics.written"
    case tracesFailed = "traces.failed"
    case tracesExported = "traces.exported"
    case logLost = "log.lost"

    case memoryHigh = "memory.high"
    case memoryNormal = "memory.normal"
}
