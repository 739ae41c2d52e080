/// What all options have in common.
enum ConfigurationOptions {
    /// What the environment variables of options begin with.
    static let environmentPrefix = "STORE_SERVER_"
    /// The most that a configuration file may hold.
    static let fileBytesMax = 1 << 20
}
