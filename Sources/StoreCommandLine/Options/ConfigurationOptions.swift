/// The constants that all options share.
enum ConfigurationOptions {
    /// The prefix of the environment variables of options.
    static let environmentPrefix = "STORE_SERVER_"
    /// The maximum size of a configuration file, in bytes.
    static let fileBytesMax = 1 << 20
}
