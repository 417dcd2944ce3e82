// SPDX-License-Identifier: BSD-2-Clause
/** Allocates at a steady rate over a live set, so that the collector must pause. Arguments: seconds threads MB/s-a-thread. */
public class Allocate {
	private static final int PIECE = 16 * 1024;
	private static final int LIVE_PIECES = 512; // 8 MB a thread

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
		int perTick = (args.length > 2 ? Integer.parseInt(args[2]) : 200) * 1024 / 500 / (PIECE / 1024);

		for (int i = 1; i < threads; i++)
			new Thread(() -> churn(end, perTick), "allocate-" + i).start();
		churn(end, perTick);
	}

	private static void churn(long end, int perTick) {
		byte[][] live = new byte[LIVE_PIECES][];
		int next = 0;

		while (System.nanoTime() < end) {
			for (int i = 0; i < perTick; i++) {
				live[next] = new byte[PIECE];
				next = (next * 13 + 7) % LIVE_PIECES; // not in order: some pieces grow old
			}
			try {
				Thread.sleep(2);
			} catch (InterruptedException e) {
				return;
			}
		}
	}
}
