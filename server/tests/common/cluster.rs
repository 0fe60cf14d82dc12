//! A PostgreSQL of the tests' own: in a temporary folder, on a free loopback port,
//! gone with whoever started it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Where Debian and its children keep one folder for each version.
const DEBIAN: &str = "/usr/lib/postgresql";
/// The user that the server runs as when the tests are root, which it refuses.
const USER: &str = "postgres";
/// The superuser inside.
const SUPERUSER: &str = "charge_once";

/// Ends the server when its standard input closes: when the cluster is dropped, and
/// also when the process of the tests ends, in whatever way. A destructor would not
/// run then.
const WATCHDOG: &str = r#"
trap '' HUP INT TERM
folder=$1; shift
cat
"$@"
rm -rf "$folder"
"#;

/// A running PostgreSQL.
pub struct Cluster {
    folder: PathBuf,
    bin: PathBuf,
    port: u16,
    watchdog: Child,
}

impl Cluster {
    /// Starts one. A `durable` one waits for the disk at each commit, as it does by
    /// default; the others start and work faster.
    pub fn start(durable: bool) -> Self {
        let bin = bin();
        // The watchdog removes it.
        let folder = TempDir::with_prefix("postgres-").unwrap().keep();
        if root() {
            run(Command::new("chown").arg(USER).arg(&folder));
        }
        run(command(&bin, "initdb")
            .arg("--pgdata")
            .arg(folder.join("data"))
            .args(["--username", SUPERUSER, "--auth", "trust"])
            .args(["--encoding", "UTF8", "--no-locale", "--no-instructions"])
            .args((!durable).then_some("--no-sync")));
        let mut settings = vec![
            String::from("listen_addresses = '127.0.0.1'"),
            format!("unix_socket_directories = '{}'", folder.display()),
            String::from("max_connections = 200"),
        ];
        if !durable {
            settings.push(String::from("fsync = off\nfull_page_writes = off"));
        }
        configure(&folder, &settings.join("\n"));
        let mut stop = pg_ctl(&bin, &folder);
        stop.args(["--mode", "immediate", "stop"]);
        let watchdog = Command::new("sh")
            .args(["-c", WATCHDOG, "watchdog"])
            .arg(&folder)
            .arg(stop.get_program())
            .args(stop.get_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut cluster = Self {
            folder,
            bin,
            port: 0,
            watchdog,
        };
        // Somebody else may take the port in between.
        let started = (0..3).any(|_| {
            cluster.port = free_port();
            configure(&cluster.folder, &format!("port = {}", cluster.port));
            cluster.start_again().success()
        });
        assert!(started, "PostgreSQL does not start: {}", cluster.log());
        cluster
    }

    /// Where it is, without the name of a database.
    pub fn url(&self) -> String {
        format!("postgres://{SUPERUSER}@127.0.0.1:{}", self.port)
    }

    /// Ends it without any tidying, as a crash does, and starts it again.
    pub fn crash(&self) {
        run(pg_ctl(&self.bin, &self.folder).args(["--mode", "immediate", "stop"]));
        let started = self.start_again();
        assert!(started.success(), "it recovers: {}", self.log());
    }

    /// The version, as it says it itself.
    pub fn version(&self) -> String {
        let output = command(&self.bin, "postgres").arg("--version").output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    fn start_again(&self) -> std::process::ExitStatus {
        pg_ctl(&self.bin, &self.folder)
            .arg("start")
            .stdout(Stdio::null())
            .status()
            .unwrap()
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        let _ = self.watchdog.wait();
    }
}

/// The folder with the newest version's programs.
pub fn bin() -> PathBuf {
    let versions = fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| {
            let version: u32 = entry.file_name().to_str()?.parse().ok()?;
            let bin = entry.path().join("bin");
            bin.join("initdb").exists().then_some((version, bin))
        })
        .max();
    if let Some((_, bin)) = newest {
        return bin;
    }
    let told = Command::new("pg_config").arg("--bindir").output();
    let told = told.ok().and_then(|out| String::from_utf8(out.stdout).ok());
    let path = std::env::var_os("PATH").unwrap_or_default();
    told.map(|bin| PathBuf::from(bin.trim()))
        .into_iter()
        .chain(std::env::split_paths(&path))
        .find(|bin| bin.join("initdb").exists() && bin.join("pg_ctl").exists())
        .expect(
            "PostgreSQL's server programs are not here. On Debian: apt-get install postgresql. \
             Or leave its tests out: cargo test -- --skip on_postgres",
        )
}

/// A command of PostgreSQL's, as a user that it accepts.
fn command(bin: &Path, name: &str) -> Command {
    let program = bin.join(name);
    if !root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", USER, "--"]).arg(program);
    // Not a folder that this user may not enter.
    command.current_dir("/");
    command
}

fn pg_ctl(bin: &Path, folder: &Path) -> Command {
    let mut command = command(bin, "pg_ctl");
    command.arg("--pgdata").arg(folder.join("data"));
    command.arg("--log").arg(folder.join("log"));
    command.args(["--silent", "--wait"]);
    command
}

fn root() -> bool {
    // What this process makes belongs to whom it runs as.
    tempfile::tempfile().unwrap().metadata().unwrap().uid() == 0
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}

fn configure(folder: &Path, lines: &str) {
    let path = folder.join("data/postgresql.conf");
    let mut file = OpenOptions::new().append(true).open(path).unwrap();
    writeln!(file, "{lines}").unwrap();
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
