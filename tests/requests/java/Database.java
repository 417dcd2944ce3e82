// SPDX-License-Identifier: BSD-2-Clause
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Properties;

/** The database behind a server: one connection a thread, to the JDBC address in the property "db". */
final class Database {
	private final String url;
	private final Timer timer = new Timer("query");
	private final ThreadLocal<PreparedStatement> query = new ThreadLocal<>();

	private Database(String url) {
		this.url = url;
	}

	/** null: there is none. */
	static Database fromProperties() {
		String url = System.getProperty("db");

		return url == null ? null : new Database(url);
	}

	/** Let the database sleep. */
	boolean sleep(long ms) {
		try {
			PreparedStatement statement = statement();
			long begin = System.nanoTime();

			statement.setDouble(1, ms / 1000.0);
			statement.execute();
			timer.add(System.nanoTime() - begin);
			return true;
		} catch (SQLException e) {
			System.err.println(e);
			return false;
		}
	}

	void report() {
		timer.report();
		StampedSockets.report();
	}

	private PreparedStatement statement() throws SQLException {
		if (query.get() == null) {
			Properties properties = new Properties();

			properties.setProperty("socketFactory", StampedSockets.class.getName());
			Connection connection = DriverManager.getConnection(url, properties);
			query.set(connection.prepareStatement("select pg_sleep(?)"));
		}
		return query.get();
	}
}
