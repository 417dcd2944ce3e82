// SPDX-License-Identifier: BSD-2-Clause
/** 200 threads, each a little busy and a little allocating, all to be stopped and started again. Arguments: seconds threads. */
public class ManyThreads {
	private static volatile long sink;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		int threads = args.length > 1 ? Integer.parseInt(args[1]) : 200;

		for (int i = 0; i < threads; i++)
			new Thread(() -> work(end), "many-" + i).start();
		while (System.nanoTime() < end) {
			Thread.sleep(100);
			sink += Thread.getAllStackTraces().size();
		}
	}

	private static void work(long end) {
		byte[][] live = new byte[16][];

		for (int next = 0; System.nanoTime() < end; next = (next + 1) % live.length) {
			live[next] = new byte[8 * 1024];
			for (int i = 0; i < 20_000; i++)
				sink = sink * 31 + i;
			try {
				Thread.sleep(5);
			} catch (InterruptedException e) {
				return;
			}
		}
	}
}
