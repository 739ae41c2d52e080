import StoreCore
import StoreJSONSchema

/// The settings that the operator of a server may choose, in groups. A fresh configuration has the
/// defaults.
///
/// ``Server/main()`` makes the configuration from flags, environment and file. A program that
/// embeds a server makes the configuration itself. Sizes are in bytes, times in whole seconds. An
/// absent bound is `nil`.
///
/// A bound that another type enforces has the default of that type.
public struct ServerConfiguration: Sendable, Equatable {
    /// The listeners, and the bounds of connections and requests.
    public var http = HTTP()
    /// The allowed hosts and origins, the trusted proxies, and the rates of clients.
    public var web = Web()
    /// The credentials and the rights of clients.
    public var access = Access()
    /// The bounds on the streams of clients.
    public var streams = Streams()
    /// The sessions of clients.
    public var sessions = Sessions()
    /// The bounds of the Core: the actions in an array, the waiting actions, and the running time
    /// of a reducer.
    public var actions = Actions()
    /// The history: its directory, its keys, and the bounds on the applied actions that the server
    /// keeps.
    public var history = History()
    /// The lines of analytics.
    public var analytics = Analytics()
    /// The log.
    public var log = Log()
    /// The export of traces.
    public var traces = Traces()

    /// The clock for the pauses of effects and the times of actions; by default the machine's.
    public var clock = ClockSource.system
    /// The bound on the memory of the process, at most 2^50 bytes. Above 90 % of this bound, new
    /// streams are refused, and streams of slow readers end. By default `nil`: the bound of the
    /// control group, if the group has a bound (cgroups(7), version 2).
    public var memoryBytesMax: Int?
    /// The maximum time of a stop, 1 to 3,600 seconds; by default 10. If a reducer or the disk
    /// hangs, a stop can take 3.5 s even if this time is shorter.
    public var shutdownTimeout = Duration.seconds(10)
    /// A role that may do everything, in addition to the roles of the policy; `nil` for none. No
    /// option sets the role: `store-server assert` sets it for the server that plays a script.
    var unrestrictedRole: String?
    /// The options of the program itself.
    var programOptions = ProgramOptionValues()

    /// Makes the configuration of a fresh server.
    public init() {}

    /// The bounds of the Core: the actions in an array, the waiting actions, and the running time
    /// of a reducer.
    public struct Actions: Sendable, Equatable {
        /// The maximum number of actions in one array, 1 to 1,000; by default 1,000.
        public var arrayActionsMax = JSONSchema.arrayActionsMaxDefault
        /// The maximum number of actions that wait for the Core, 1 to 2^24; by default 65,536. A
        /// further dispatch gets 503.
        public var mailboxMax = CoreConfiguration<Int>().clientMailboxMax
        /// The running time of a reducer after which the log names its action, 1 to 3,600 seconds;
        /// by default 1.
        public var slowAfter = Duration.seconds(1)
        /// The running time of a reducer after which `GET /livez` answers 503, 1 to 86,400 seconds;
        /// by default 10.
        public var stuckAfter = Duration.seconds(10)
    }

    /// The history: its directory, its keys, and the bounds on the applied actions that the server
    /// keeps.
    public struct History: Sendable, Equatable {
        private static let retentionDefaults = Retention()

        /// The directory of the history; by default `./data`. No other program may use the
        /// directory.
        public var directory = "./data"
        /// The directory of the keys of personal values; `nil` for the directory of the history.
        /// The server makes a missing directory with the first key. Only a program with
        /// ``Server/personal(_:_:of:)`` has keys.
        public var keysDirectory: String?
        /// True if history is kept in memory: a restart begins a new history.
        public var ephemeral = false
        /// True if the server keeps nothing about the sender of an action: neither address nor user
        /// agent. The name of the session is kept only if sessions have slices of their own.
        public var forgetClients = false
        /// True if the server may start with a damaged history. The server then continues from the
        /// intact records, under a new epoch.
        public var acceptDataLoss = false
        /// A JSON file with the state before the first action of a new history; `nil` for the
        /// program's own first state.
        public var stateFile: String?
        /// The number of applied actions that the journal in memory keeps, 1 to 10,000,000; by
        /// default 100,000. Older actions are forgotten.
        public var memoryActionsMax = Int(Retention.inMemory.recordsMax ?? 0)
        /// The age at which applied actions may be forgotten, if a newer snapshot makes them
        /// unnecessary. At most 3,153,600,000 seconds, by default 30 days; `nil` for never.
        public var ageMax = retentionDefaults.secondsMax.map {
            Duration.seconds(Int64(clamping: $0))
        }
        /// The size of all applied actions above which the oldest may be forgotten, if a newer
        /// snapshot makes them unnecessary. At most 2^50 bytes, by default 4 GiB; `nil` for no
        /// bound. The bounds on age and size apply independently.
        public var bytesMax = retentionDefaults.bytesMax.map { Int(clamping: $0) }
        /// The maximum number of actions between two snapshots of the state, 1 to 10,000,000; by
        /// default 10,000. A smaller number makes a start faster.
        public var actionsPerSnapshot = 10_000
    }
}

/// The source of a server's time.
public enum ClockSource: String, Sendable, CaseIterable {
    /// The machine's clocks.
    case system
    /// A clock that stands still until a client moves it (`POST /test/clock/advance`). Random
    /// numbers and identifiers are the same in every run. Use this clock only for tests.
    case test
}
